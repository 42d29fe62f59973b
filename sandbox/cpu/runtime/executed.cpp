// Counts executions of instructions by warps. See executed.h.
#include "executed.h"

#include <algorithm>

#include "block.h"
#include "diagnostics.h"
#include "engine.h"
#include "launch.h"

namespace warpcourt::cpu {

Executed& executed() {
  static auto* instance = new Executed;
  return *instance;
}

void Executed::start_block(Block& block) const {
  const std::size_t sites = engine().module->counted_count;
  if (sites == 0) return;
  block.executions.assign(sites * block.count, 0);
  for (u32 i = 0; i < block.count; ++i) block.threads[i].executed = &block.executions[sites * i];
}

void Executed::end_block(const Block& block) {
  const Module& module = *engine().module;
  const std::size_t sites = module.counted_count;
  for (std::size_t site = 0; site < sites; ++site) {
    u64 by_warps = 0;
    for (u32 first = 0; first < block.count; first += kWarpLanes) {
      u32 most = 0;
      const u32 end = std::min(first + kWarpLanes, block.count);
      for (u32 i = first; i < end; ++i) most = std::max(most, block.executions[sites * i + site]);
      by_warps += most;
    }
    const CountedInstruction& counted = module.counted[site];
    if (!by_warps) continue;
    totals_[counted.kind][counted.location] += by_warps;
    kernels_[counted.location] = block.launch->name;
  }
}

std::string Executed::text() const {
  std::string out;
  for (const auto& [kind, by_location] : totals_) {
    if (kind.starts_with("narrow_")) continue;  // see tensor_cores.h
    u64 total = 0;
    for (const auto& [location, executions] : by_location) total += executions;
    const auto most = std::max_element(by_location.begin(), by_location.end(),
                                       [](const auto& one, const auto& other) { return one.second < other.second; });
    const u32 line = line_number(most->first);
    out += ' ' + kind + '=' + std::to_string(total) + (line ? '@' + std::to_string(line) : "");
  }
  return out;
}

Executed::ByLocation Executed::of(const std::string& kind) const {
  const auto found = totals_.find(kind);
  return found == totals_.end() ? ByLocation{} : found->second;
}

}  // namespace warpcourt::cpu
