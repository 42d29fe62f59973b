// Counts divergent branches. See branches.h.
#include "branches.h"

#include <algorithm>

#include "diagnostics.h"
#include "engine.h"
#include "launch.h"
#include "trace.h"

namespace warpcourt::cpu {
namespace {

constexpr u64 kLeastExecutions = 8;
constexpr double kLeastLanes = 16;
constexpr double kLeastShare = 0.25;  // of the executions, in which the sides alternate
constexpr u32 kChangesOfBounds = 2;  // in a row of the block: a check of both ends

// Whether the sides change more often than bounds explain, from lane to lane in the rows of the block.
bool alternates(const std::vector<u8>& taken, const std::vector<u32>& lanes, u32 warp, u32 row_threads) {
  u32 changes = 0, rows = 1;
  for (std::size_t i = 1; i < lanes.size(); ++i) {
    const u32 first = warp * kWarpLanes;
    if ((first + lanes[i]) / row_threads != (first + lanes[i - 1]) / row_threads) {
      ++rows;
    } else if (taken[i] != taken[i - 1]) {
      ++changes;
    }
  }
  return changes > kChangesOfBounds * rows;
}

}  // namespace

Branches& branches() {
  static auto* instance = new Branches;
  return *instance;
}

void Branches::start_call() {
  running_.clear();
  totals_.clear();
  budget_.start_call(engine().options.summed);
}

void Branches::count(const ThreadRecord& thread, bool taken, const BranchSite& site) {
  if (!budget_.take()) return;
  running_[thread.block][{site, thread.warp()}][thread.lane()].push_back(taken);
}

void Branches::end_block(const Block& block) {
  const auto found = running_.find(&block);
  if (found == running_.end()) return;
  for (const auto& [key, taken_of_lanes] : found->second) {
    Totals& totals = totals_[{key.site.location, key.site.noted}];
    totals.kernel = block.launch->name;
    for_executions(taken_of_lanes, [&](const std::vector<u8>& taken, const std::vector<u32>& lanes) {
      ++totals.executions;
      totals.lanes += lanes.size();
      const u64 ones = static_cast<u64>(std::count(taken.begin(), taken.end(), 1));
      const u64 fewer = std::min(ones, lanes.size() - ones);
      if (fewer == 0) return;
      ++totals.divergent;
      totals.fewer_lanes += fewer;
      totals.split_lanes += lanes.size();
      totals.alternating += alternates(taken, lanes, key.warp, block.launch->block.x);
    });
  }
  running_.erase(found);
}

void Branches::add_to(Sums& sums) const {
  for (const auto& [of, totals] : totals_) sums.branch.add(of.first, totals.executions, totals.divergent, 0);
  if (budget_.exhausted()) sums.complete = false;
}

void Branches::add_to(CountsByKernel& kernels) const {
  for (const auto& [of, totals] : totals_) {
    if (!of.second) continue;
    KernelCounts& sums = kernels[totals.kernel];
    sums.branches += totals.executions;
    sums.divergent += totals.divergent;
  }
}

void Branches::report_lines() const {
  for (const auto& [of, totals] : totals_) {
    const auto [location, noted] = of;
    if (!noted) continue;
    if (totals.executions < kLeastExecutions || average(totals.lanes, totals.executions) < kLeastLanes) continue;
    if (average(totals.alternating, totals.executions) < kLeastShare) continue;
    const double fewer = average(totals.fewer_lanes, totals.divergent);
    const double all = average(totals.split_lanes, totals.divergent);
    note_line("divergent_branch", totals.kernel, location,
              "In kernel " + totals.kernel + ", warps split in " + std::to_string(totals.divergent) + " of " +
                  std::to_string(totals.executions) + " executions of this branch, on average into " +
                  rounded(all - fewer) + " and " + rounded(fewer) +
                  " lanes that alternate. While lanes on one side run, the others of the warp wait.");
  }
}

extern "C" void wc_branch(Thread* caller, bool taken, BranchSite site) {
  branches().count(record(caller), taken, site);
  if (engine().options.traced) tracer().branch(record(caller), taken, site.number, site.location);
}

}  // namespace warpcourt::cpu
