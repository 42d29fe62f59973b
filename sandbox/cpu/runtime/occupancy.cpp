// Computes occupancy. See occupancy.h.
#include "occupancy.h"

#include <algorithm>

#include "block.h"
#include "device_limits.h"

namespace warpcourt::cpu {
namespace {

constexpr u32 kRegisterUnit = 256;  // a warp gets a multiple of it
constexpr u32 kPartitions = 4;      // of a multiprocessor; each has its own registers and its own warps

constexpr u32 round_up(u32 value, u32 unit) { return (value + unit - 1) / unit * unit; }

u32 warps_of(u32 threads) { return std::max(1u, round_up(threads, kWarpLanes) / kWarpLanes); }

// Warps whose registers one multiprocessor has.
u32 warps_by_registers(const Kernel& kernel) {
  const u32 registers = kernel.resources.registers;
  if (!registers) return kThreadsPerMultiprocessor / kWarpLanes;
  return kRegistersPerMultiprocessor / kPartitions / round_up(registers * kWarpLanes, kRegisterUnit) * kPartitions;
}

}  // namespace

u32 resident_blocks(const Kernel& kernel, u32 threads, u64 dynamic_shared_bytes) {
  const u32 warps = warps_of(threads);
  const u64 by_threads = kThreadsPerMultiprocessor / kWarpLanes / warps;
  const u64 by_registers = threads > largest_block(kernel) ? 0 : warps_by_registers(kernel) / warps;
  const u64 by_shared =
      kSharedPerMultiprocessor / (kernel.static_shared_bytes + dynamic_shared_bytes + kReservedSharedPerBlock);
  return static_cast<u32>(std::min<u64>({by_threads, by_registers, by_shared, kBlocksPerMultiprocessor}));
}

// The check of a launch assumes that all partitions get the same number of warps.
u32 largest_block(const Kernel& kernel) { return std::min(kernel.max_threads, warps_by_registers(kernel) * kWarpLanes); }

}  // namespace warpcourt::cpu
