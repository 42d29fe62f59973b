// The device that functional mode describes to programs. Its compute capability is 8.0, for which functional mode
// compiles. Its sizes of shared memory and of the L2 cache are those of an H100 (9.0), so that it refuses no launch that a
// GPU for ranked times allows.
//
// Source: CUDA C++ Programming Guide, "Compute Capabilities", 8.0 and 9.0. The number of multiprocessors bounds a
// cooperative launch, each of whose threads needs a stack of its own here.
#pragma once

#include "abi.h"

namespace warpcourt::cpu {

constexpr int kComputeMajor = 8;
constexpr int kComputeMinor = 0;
constexpr u32 kMultiprocessors = 8;
constexpr u32 kThreadsPerMultiprocessor = 2048;
constexpr u32 kBlocksPerMultiprocessor = 32;
constexpr u32 kMaxBlockZ = 64;
constexpr u32 kMaxGridX = 2147483647;
constexpr u32 kMaxGridYZ = 65535;
constexpr u32 kRegistersPerMultiprocessor = 65536;  // and per block
constexpr u32 kSharedPerMultiprocessor = 228 << 10;
constexpr u32 kReservedSharedPerBlock = 1 << 10;
constexpr u32 kConstantBytes = 64 << 10;
constexpr u32 kL2Bytes = 50 << 20;

constexpr u32 kTexturePitchAlignment = 32;  // bytes
// The memory behind cooperative groups' grid barrier; cleared before each cooperative launch.
void reset_grid_workspace();

}  // namespace warpcourt::cpu
