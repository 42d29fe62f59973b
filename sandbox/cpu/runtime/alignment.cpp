// Counts contiguous requests that start within a sector. See alignment.h.
#include "alignment.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "counters.h"
#include "launch.h"
#include "memory.h"

namespace warpcourt::cpu {
namespace {

constexpr u32 kSectorBytes = 32;
constexpr std::size_t kLeastLanes = 16;
constexpr u64 kLeastRequests = 8;

bool most(u64 part, u64 whole) { return 4 * part >= 3 * whole; }

// The bytes of a request whose lanes access neighbouring elements, or no bytes.
struct Span {
  u64 begin = 0;
  u64 end = 0;
  bool empty() const { return begin == end; }
  u32 offset() const { return static_cast<u32>(begin % kSectorBytes); }
  u64 first() const { return begin / kSectorBytes; }
  u64 last() const { return (end - 1) / kSectorBytes; }
  u64 sectors() const { return last() - first() + 1; }
  u64 fewest() const { return (end - begin + kSectorBytes - 1) / kSectorBytes; }
};

Span span_of(std::vector<u64> addresses, u32 bytes) {
  if (addresses.size() < kLeastLanes) return {};
  std::sort(addresses.begin(), addresses.end());
  for (std::size_t i = 1; i < addresses.size(); ++i) {
    if (addresses[i] != addresses[i - 1] + bytes) return {};
  }
  return {addresses.front(), addresses.back() + bytes};
}

bool is_own(const Allocation& allocation) {
  return !allocation.argument && !allocation.is_variable();
}

}  // namespace

Alignment& alignment() {
  static auto* instance = new Alignment;
  return *instance;
}

void Alignment::end_block(const Block& block, const Requests& requests) {
  struct Found {
    Totals* totals;
    Span span;
  };
  std::vector<Found> misaligned;
  std::unordered_map<u64, std::set<u32>> starts;  // by sector: the offsets of the requests that access it
  for (const auto& [key, of_lanes] : requests) {
    const MemoryInstruction& instruction = key.first;
    if (instruction.space != Space::kGlobal || is_atomic(instruction.access) || instruction.on_host) continue;
    Totals& totals = totals_[instruction];
    totals.kernel = block.launch->name;
    for_executions(of_lanes, [&](const std::vector<u64>& addresses, const std::vector<u32>&) {
      ++totals.requests;
      const Span span = span_of(addresses, instruction.bytes);
      if (span.empty()) return;
      ++totals.contiguous;
      for (u64 sector = span.first(); sector <= span.last(); ++sector) {
        starts[sector].insert(span.offset());
      }
      if (span.sectors() > span.fewest()) misaligned.push_back({&totals, span});
    });
  }
  for (const Found& found : misaligned) {
    const auto shared = [&](u64 sector) {
      return std::any_of(starts[sector].begin(), starts[sector].end(),
                         [&](u32 offset) { return offset != found.span.offset(); });
    };
    Totals& totals = *found.totals;
    ++totals.misaligned;
    ++totals.offsets[found.span.offset()];
    totals.sectors += found.span.sectors();
    totals.fewest += found.span.fewest();
    totals.shared += shared(found.span.first()) || shared(found.span.last());
    const auto allocation = live_allocation(found.span.begin);
    if (!allocation) continue;
    totals.own += is_own(*allocation);
    totals.at_begin |= found.span.begin - allocation->base < found.span.end - found.span.begin;
  }
}

void Alignment::report_lines() const {
  for (const auto& [instruction, totals] : totals_) {
    const u64 misaligned = totals.misaligned, contiguous = totals.contiguous;
    if (misaligned < kLeastRequests || !most(contiguous, totals.requests)) continue;
    if (2 * misaligned < contiguous || 4 * totals.shared > misaligned) continue;
    const auto usual = std::max_element(totals.offsets.begin(), totals.offsets.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
    const bool constant = most(usual->second, misaligned);
    if (!(constant && totals.at_begin && most(misaligned, contiguous)) && !most(totals.own, misaligned)) continue;
    const char* noun = writes(instruction.access) ? "writes" : "reads";
    note_line("misaligned_vectors", totals.kernel, instruction.location,
              "In kernel " + totals.kernel + ", " + std::to_string(misaligned) + " of " + std::to_string(contiguous) +
                  " contiguous " + noun + " of warps in this line do not start at a multiple of 32 bytes" +
                  (constant ? ", but " + std::to_string(usual->first) + " bytes after one" : "") + ". So each moves " +
                  rounded(average(totals.sectors, misaligned)) + " sectors of 32 bytes instead of " +
                  rounded(average(totals.fewest, misaligned)) + ". Let the first lane start at a multiple of 32 bytes.");
  }
}

}  // namespace warpcourt::cpu
