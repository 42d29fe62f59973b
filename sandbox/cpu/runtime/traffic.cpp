// Counts sectors and wavefronts. See traffic.h.
#include "traffic.h"

#include <algorithm>
#include <cstdio>

#include "block.h"
#include "diagnostics.h"
#include "launch.h"

namespace warpcourt::cpu {
namespace {

constexpr u32 kSectorBytes = 32;
constexpr u32 kBanks = 32;
constexpr u32 kBankBytes = 4;
constexpr std::size_t kMostOfLaunch = std::size_t{1} << 17;
constexpr std::size_t kMostOfCall = std::size_t{1} << 20;
// A line is reported if most lanes take part in its requests, and if these cost much more than they need. Addresses at
// random cause about 3.5 wavefronts, against which padding does not help.
constexpr u64 kLeastRequests = 4;
constexpr double kLeastLanes = 16;
constexpr double kSectorRatio = 2;
constexpr double kLeastSectors = 8;  // per request
constexpr double kWavefrontRatio = 4;

u64 distinct(std::vector<u64>& values) {
  std::sort(values.begin(), values.end());
  return static_cast<u64>(std::unique(values.begin(), values.end()) - values.begin());
}

// The lanes that shared memory serves at a time.
u32 lanes_at_a_time(u32 bytes) { return kWarpLanes / std::max(1u, bytes / kBankBytes); }

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

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

Traffic& traffic() {
  static auto* instance = new Traffic;
  return *instance;
}

void Traffic::start_call() {
  running_.clear();
  totals_.clear();
  of_launch_ = of_call_ = 0;
}

void Traffic::count(const ThreadRecord& thread, bool shared, u64 address, u32 bytes, Access access, u32 site,
                    u32 location) {
  if (access == Access::kAtomic || of_launch_ >= kMostOfLaunch || of_call_ >= kMostOfCall) return;
  ++of_launch_;
  ++of_call_;
  const Instruction instruction{shared ? 0 : site, location, bytes, access, shared};
  running_[thread.block][{instruction, thread.warp()}].lanes[thread.lane()].push_back(address);
}

void Traffic::end_block(const Block& block) {
  const auto found = running_.find(&block);
  if (found == running_.end()) return;
  std::vector<u64> addresses;
  std::vector<u32> lanes;
  for (const auto& [key, warp] : found->second) {
    const Instruction& instruction = key.first;
    Totals& totals = totals_[instruction];
    totals.kernel = block.launch->name;
    std::size_t most = 0;
    for (const std::vector<u64>& lane : warp.lanes) most = std::max(most, lane.size());
    for (std::size_t n = 0; n < most; ++n) {
      addresses.clear();
      lanes.clear();
      for (u32 lane = 0; lane < kWarpLanes; ++lane) {
        if (n >= warp.lanes[lane].size()) continue;
        addresses.push_back(warp.lanes[lane][n]);
        lanes.push_back(lane);
      }
      ++totals.requests;
      totals.lanes += lanes.size();
      totals.bytes += lanes.size() * instruction.bytes;
      if (instruction.shared) {
        totals.units += wavefronts_of(addresses, lanes, instruction.bytes);
        totals.fewest += fewest_wavefronts(lanes, instruction.bytes);
      } else {
        totals.units += sectors_of(addresses, instruction.bytes);
        totals.fewest += fewest_sectors(addresses, instruction.bytes);
      }
    }
  }
  running_.erase(found);
}

void Traffic::report_lines() const {
  for (const auto& [instruction, totals] : totals_) {
    const double requests = static_cast<double>(totals.requests);
    const double units = static_cast<double>(totals.units) / requests;
    const double fewest = static_cast<double>(totals.fewest) / requests;
    if (totals.requests < kLeastRequests || static_cast<double>(totals.lanes) < kLeastLanes * requests) continue;
    if (units < (instruction.shared ? kWavefrontRatio : kSectorRatio) * fewest) continue;
    if (line_number(instruction.location) == 0) continue;  // in a library
    const std::string each = "In kernel " + totals.kernel + ", each " + noun(instruction.access) + " of a warp ";
    if (instruction.shared) {
      report({Severity::kNote, "bank_conflict",
              each + "takes " + rounded(units) + " wavefronts of shared memory instead of " + rounded(fewest) +
                  ". Several lanes access different words in one bank.",
              {totals.kernel, nullptr, nullptr, instruction.location}});
    } else if (units >= kLeastSectors) {
      report({Severity::kNote, "uncoalesced",
              each + "moves " + rounded(units) + " sectors of 32 bytes, although " + rounded(fewest) +
                  " would be enough. The lanes access places that are far apart.",
              {totals.kernel, nullptr, nullptr, instruction.location}});
    }
  }
}

}  // namespace warpcourt::cpu
