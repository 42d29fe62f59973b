// Counts bytes that are loaded again. See reuse.h.
#include "reuse.h"

#include <unordered_map>

#include "diagnostics.h"
#include "launch.h"

namespace warpcourt::cpu {
namespace {

constexpr double kLeastRatio = 4;       // of a line, and of all loads of its kernel
constexpr u64 kLeastRequests = 64;
constexpr u64 kLeastBytes = 16 << 10;   // loaded again

// Sets of bytes, as the masks of the sectors that they lie in.
class ByteSet {
 public:
  // The bytes that are new here.
  u64 add(u64 address, u32 bytes) {
    u64 fresh = 0;
    for_parts(address, bytes, [&](u64 sector, u32 mask) {
      u32& known = sectors_[sector];
      fresh += static_cast<u64>(__builtin_popcount(mask & ~known));
      known |= mask;
    });
    return fresh;
  }
  bool meets(u64 address, u32 bytes) const {
    bool met = false;
    for_parts(address, bytes, [&](u64 sector, u32 mask) {
      const auto found = sectors_.find(sector);
      met |= found != sectors_.end() && (found->second & mask);
    });
    return met;
  }

 private:
  template <class Visit>
  static void for_parts(u64 address, u32 bytes, Visit visit) {
    for (u64 at = address; at < address + bytes;) {
      const u64 end = std::min(address + bytes, (at / 32 + 1) * 32);
      visit(at / 32, static_cast<u32>(((u64{1} << (end - at)) - 1) << at % 32));
      at = end;
    }
  }
  std::unordered_map<u64, u32> sectors_;
};

}  // namespace

Reuse& reuse() {
  static auto* instance = new Reuse;
  return *instance;
}

void Reuse::start_call() {
  lines_.clear();
  kernels_.clear();
}

void Reuse::end_block(const Block& block, const Requests& requests) {
  ByteSet written, of_block;
  for (const auto& [key, of_lanes] : requests) {
    if (key.first.shared() || !writes(key.first.access)) continue;
    for (const std::vector<u64>& lane : of_lanes) {
      for (const u64 address : lane) written.add(address, key.first.bytes);
    }
  }
  std::map<u32, ByteSet> of_lines;
  Bytes& kernel = kernels_[block.launch->name];
  for (const auto& [key, of_lanes] : requests) {
    const MemoryInstruction& instruction = key.first;
    if (instruction.shared() || !is_plain_read(instruction.access)) continue;
    Totals& line = lines_[instruction.location];
    line.kernel = block.launch->name;
    ByteSet& of_line = of_lines[instruction.location];
    for_executions(of_lanes, [&](std::vector<u64> addresses, const std::vector<u32>&) {
      std::sort(addresses.begin(), addresses.end());
      addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
      if (addresses.size() == 1) return;
      ++line.requests;
      for (const u64 address : addresses) {
        if (written.meets(address, instruction.bytes)) continue;
        line.bytes.loaded += instruction.bytes;
        line.bytes.touched += of_line.add(address, instruction.bytes);
        kernel.loaded += instruction.bytes;
        kernel.touched += of_block.add(address, instruction.bytes);
      }
    });
  }
}

void Reuse::report_lines() const {
  for (const auto& [location, line] : lines_) {
    const Bytes& kernel = kernels_.at(line.kernel);
    if (line.requests < kLeastRequests || line.bytes.loaded - line.bytes.touched < kLeastBytes) continue;
    const double ratio = average(line.bytes.loaded, line.bytes.touched);
    if (ratio < kLeastRatio || average(kernel.loaded, kernel.touched) < kLeastRatio) continue;
    note_line("redundant_loads", line.kernel, location,
              "In kernel " + line.kernel + ", the blocks load each byte of this line " + rounded(ratio) +
                  " times from global memory: " + std::to_string(line.bytes.loaded) + " bytes in all, instead of " +
                  std::to_string(line.bytes.touched) +
                  " if each block loaded each byte only once. Keep the bytes in shared memory or registers.");
  }
}

}  // namespace warpcourt::cpu
