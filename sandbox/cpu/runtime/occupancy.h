// How many blocks of a kernel one multiprocessor of the virtual device holds at once, and the largest block.
//
// Source: `cuda_occupancy.h` of the CUDA Toolkit. Registers are those that ptxas gives to a thread for compute capability
// 8.0. If they are unknown, they limit nothing.
#pragma once

#include "abi.h"

namespace warpcourt::cpu {

// 0 if a GPU refuses the launch because of its threads' registers, or because a block is too large.
u32 resident_blocks(const Kernel& kernel, u32 threads, u64 dynamic_shared_bytes);

// The most threads of a block, by __launch_bounds__ and registers.
u32 largest_block(const Kernel& kernel);

}  // namespace warpcourt::cpu
