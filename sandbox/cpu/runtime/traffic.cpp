// Counts sectors, wavefronts and lanes at one address. See traffic.h.
#include "traffic.h"

#include <algorithm>

#include "alignment.h"
#include "diagnostics.h"
#include "engine.h"
#include "launch.h"
#include "link_time.h"
#include "reuse.h"

namespace warpcourt::cpu {
namespace {

constexpr u32 kSectorBytes = 32;
constexpr u32 kBanks = 32;
constexpr u32 kBankBytes = 4;
constexpr u32 kVectorBytes = 16;
// A line is reported if most lanes take part in its requests, and if these cost much more than they need. Addresses at
// random cause about 3.5 wavefronts, against which padding does not help.
constexpr u64 kLeastRequests = 4;
constexpr double kLeastLanes = 16;
constexpr double kSectorRatio = 2;
constexpr double kLeastSectors = 8;  // per request
constexpr double kWavefrontRatio = 4;
// Atomic operations are reported if half of a full warp meets at one address, in a block's worth of warps.
constexpr double kLeastAtOneAddress = 16;
constexpr u64 kLeastWarps = 8;

u64 distinct(std::vector<u64>& values) {
  std::sort(values.begin(), values.end());
  return static_cast<u64>(std::unique(values.begin(), values.end()) - values.begin());
}

// The lanes that shared memory serves at a time.
u32 lanes_at_a_time(u32 bytes) { return kWarpLanes / std::max(1u, bytes / kBankBytes); }

const char* noun(Access access) { return writes(access) ? "write" : "read"; }

}  // namespace

u32 sectors_of(const std::vector<u64>& addresses, u32 bytes) {
  std::vector<u64> sectors;
  for (const u64 address : addresses) {
    for (u64 sector = address / kSectorBytes; sector <= (address + bytes - 1) / kSectorBytes; ++sector)
      sectors.push_back(sector);
  }
  return static_cast<u32>(distinct(sectors));
}

u32 fewest_sectors(const std::vector<u64>& addresses, u32 bytes) {
  std::vector<u64> copy = addresses;
  return static_cast<u32>((distinct(copy) * bytes + kSectorBytes - 1) / kSectorBytes);
}

u32 wavefronts_of(const std::vector<u64>& offsets, const std::vector<u32>& lanes, u32 bytes) {
  const u32 at_a_time = lanes_at_a_time(bytes);
  u32 total = 0;
  for (u32 first = 0; first < kWarpLanes; first += at_a_time) {
    std::array<std::vector<u64>, kBanks> words;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      if (lanes[i] < first || lanes[i] >= first + at_a_time) continue;
      for (u64 word = offsets[i] / kBankBytes; word <= (offsets[i] + bytes - 1) / kBankBytes; ++word)
        words[word % kBanks].push_back(word);
    }
    u64 most = 0;
    for (std::vector<u64>& bank : words) most = std::max(most, distinct(bank));
    total += static_cast<u32>(most);
  }
  return total;
}

u32 fewest_wavefronts(const std::vector<u32>& lanes, u32 bytes) {
  const u32 at_a_time = lanes_at_a_time(bytes);
  u32 parts = 0;
  for (const u32 lane : lanes) parts |= 1u << (lane / at_a_time);
  return static_cast<u32>(__builtin_popcount(parts));
}

u32 most_at_one_address(const std::vector<u64>& addresses) {
  std::vector<u64> sorted = addresses;
  std::sort(sorted.begin(), sorted.end());
  std::size_t most = 0, first = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != sorted[first]) first = i;
    most = std::max(most, i - first + 1);
  }
  return static_cast<u32>(most);
}

Traffic& traffic() {
  static auto* instance = new Traffic;
  return *instance;
}

void Traffic::start_call() {
  running_.clear();
  totals_.clear();
  async_sites_.clear();
  copied_ = {};
  busiest_block_ = 0;
  of_launches_.clear();
  budget_.start_call(engine().options.summed);
}

void Traffic::count(const ThreadRecord& thread, const MemoryInstruction& by, u64 address) {
  if (!budget_.take()) return;
  running_[thread.block].requests[{by, thread.warp()}][thread.lane()].push_back(address);
}

void Traffic::count_fetch(const ThreadRecord& thread, const MemoryInstruction& by, std::span<const u64> texels) {
  if (!budget_.take()) return;
  for (std::size_t i = 1; i < texels.size(); ++i) budget_.take();  // memory of this counter grows with them
  Running& running = running_[thread.block];
  const std::size_t first = running.texels.size();
  running.texels.insert(running.texels.end(), texels.begin(), texels.end());
  running.fetches[{by, thread.warp()}][thread.lane()].push_back({first, running.texels.size()});
}

void Traffic::count_async_copy(const ThreadRecord& thread) { async_sites_.insert(thread.last_site); }

void Traffic::count_rows(u64 base, u64 row_bytes, u64 rows, u64 pitch) {
  if (row_bytes == 0) return;
  if (row_bytes == pitch) row_bytes *= rows, rows = 1;
  u64 sectors = 0;
  for (u64 row = 0; row < rows; ++row) {
    const u64 begin = base + row * pitch;
    sectors += (begin + row_bytes - 1) / kSectorBytes - begin / kSectorBytes + 1;
  }
  copied_.add(0, 1, sectors, (row_bytes * rows + kSectorBytes - 1) / kSectorBytes);
}

void Traffic::end_block(const Block& block) {
  const auto found = running_.find(&block);
  if (found == running_.end()) return;
  const Moved requests = count_requests(block, found->second.requests);
  const Moved fetches = count_fetches(block, found->second);
  const u64 of_block = requests.requests + fetches.requests;
  busiest_block_ = std::max(busiest_block_, of_block);
  of_launches_[block.launch->number] += of_block;
  link_time().kernel((requests.sectors + fetches.sectors) * kSectorBytes);
  alignment().end_block(block, found->second.requests);
  reuse().end_block(block, found->second.requests);
  running_.erase(found);
}

Traffic::Moved Traffic::count_requests(const Block& block, const Requests& requests) {
  Moved moved;
  for (const auto& [key, addresses_of_lanes] : requests) {
    const MemoryInstruction& instruction = key.first;
    const u32 bytes = instruction.bytes;
    Totals& totals = totals_[instruction];
    totals.kernel = block.launch->name;
    ++totals.warps;
    for_executions(addresses_of_lanes, [&](const std::vector<u64>& addresses, const std::vector<u32>& lanes) {
      ++totals.requests;
      totals.lanes += lanes.size();
      if (is_atomic(instruction.access)) {
        totals.units += most_at_one_address(addresses);
        if (instruction.shared()) return;
        const u32 sectors = sectors_of(addresses, bytes);
        totals.sectors += sectors;
        totals.fewest += fewest_sectors(addresses, bytes);
        moved.add(sectors);
      } else if (instruction.shared()) {
        totals.units += wavefronts_of(addresses, lanes, bytes);
        totals.fewest += fewest_wavefronts(lanes, bytes);
      } else {
        const u32 sectors = sectors_of(addresses, bytes);
        totals.units += sectors;
        totals.fewest += fewest_sectors(addresses, bytes);
        moved.add(sectors);
      }
    });
  }
  return moved;
}

Traffic::Moved Traffic::count_fetches(const Block& block, const Running& running) {
  Moved moved;
  std::vector<u64> texels;
  for (const auto& [key, fetches_of_lanes] : running.fetches) {
    const u32 bytes = key.first.bytes;
    Totals& totals = totals_[key.first];
    totals.kernel = block.launch->name;
    ++totals.warps;
    for_executions(fetches_of_lanes, [&](const std::vector<Fetch>& fetches, const std::vector<u32>& lanes) {
      ++totals.requests;
      totals.lanes += lanes.size();
      texels.clear();
      for (const Fetch& fetch : fetches) {
        const auto begin = running.texels.begin();
        texels.insert(texels.end(), begin + static_cast<std::ptrdiff_t>(fetch.first),
                      begin + static_cast<std::ptrdiff_t>(fetch.end));
      }
      const u32 sectors = sectors_of(texels, bytes);
      totals.units += sectors;
      totals.fewest += fewest_sectors(texels, bytes);
      moved.add(sectors);
    });
  }
  return moved;
}

void Traffic::add_to(Sums& sums) const {
  for (const auto& [instruction, totals] : totals_) {
    const u32 location = instruction.location;
    if (instruction.on_host) {
      const u64 sectors = is_atomic(instruction.access) ? totals.sectors : totals.units;
      sums.host.add(location, totals.requests, sectors, totals.fewest);
    }
    if (instruction.on_peer) {
      const u64 bytes = kSectorBytes * (is_atomic(instruction.access) ? totals.sectors : totals.units);
      sums.peer.add(location, bytes, bytes, 0);
    }
    if (is_atomic(instruction.access)) {
      sums.atomic.add(location, totals.requests, totals.units, totals.requests);
      if (!instruction.shared()) sums.global_atomic.add(location, totals.requests, totals.sectors, totals.fewest);
      continue;
    }
    const bool loads = !writes(instruction.access);
    Sum& sum = instruction.shared()                   ? sums.shared
               : instruction.space == Space::kTexture ? sums.texture
               : loads                                ? sums.global_load
                                                      : sums.global_store;
    sum.add(location, totals.requests, totals.units, totals.fewest);
    if (instruction.space != Space::kGlobal) continue;
    if (instruction.bytes >= kVectorBytes) sums.vector.add(location, totals.requests, totals.requests, 0);
    if (loads && async_sites_.contains(instruction.site)) {
      sums.async_load.add(location, totals.requests, totals.units, totals.fewest);
    }
  }
  sums.copied = copied_;
  sums.busiest_block = busiest_block_;
  for (const auto& [launch, requests] : of_launches_) {
    sums.busiest_launch = std::max(sums.busiest_launch, requests);
    sums.kernel_requests += requests;
  }
  if (budget_.exhausted()) sums.complete = false;
}

void Traffic::add_to(CountsByKernel& kernels) const {
  for (const auto& [instruction, totals] : totals_) {
    KernelCounts& sums = kernels[totals.kernel];
    if (is_atomic(instruction.access)) {
      sums.atomic_requests += totals.requests;
      sums.atomic_turns += totals.units;
    } else if (instruction.shared()) {
      sums.shared_requests += totals.requests;
      sums.wavefronts += totals.units;
      sums.fewest_wavefronts += totals.fewest;
    } else {
      sums.global_requests += totals.requests;
      sums.sectors += totals.units;
      sums.fewest_sectors += totals.fewest;
    }
  }
}

void Traffic::report_lines() const {
  for (const auto& [instruction, totals] : totals_) {
    const double units = average(totals.units, totals.requests);
    const double fewest = average(totals.fewest, totals.requests);
    const double lanes = average(totals.lanes, totals.requests);
    if (totals.requests < kLeastRequests || lanes < kLeastLanes || instruction.space == Space::kTexture) continue;
    const std::string in_kernel = "In kernel " + totals.kernel + ", ";
    if (is_atomic(instruction.access)) {
      if (units < kLeastAtOneAddress || totals.warps < kLeastWarps) continue;
      note_line("contended_atomic", totals.kernel, instruction.location,
                in_kernel + cpu::count(totals.warps, "warp") + " made " +
                    cpu::count(totals.requests, "atomic request") + " to " +
                    (instruction.shared() ? "shared" : "global") + " memory, and on average " + rounded(units) + " of " +
                    rounded(lanes) + " lanes updated one address. A GPU serves them one after the other.");
      continue;
    }
    const std::string each = in_kernel + "each " + noun(instruction.access) + " of a warp ";
    if (instruction.shared()) {
      if (units < kWavefrontRatio * fewest) continue;
      note_line("bank_conflict", totals.kernel, instruction.location,
                each + "takes " + rounded(units) + " wavefronts of shared memory instead of " + rounded(fewest) +
                    ". Several lanes access different words in one bank.");
    } else {
      if (units < kSectorRatio * fewest || units < kLeastSectors) continue;
      note_line("uncoalesced", totals.kernel, instruction.location,
                each + "moves " + rounded(units) + " sectors of 32 bytes, although " + rounded(fewest) +
                    " would be enough. The lanes access places that are far apart.");
    }
  }
}

}  // namespace warpcourt::cpu
