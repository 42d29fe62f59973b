// A kernel launch: its validated shape and parameters.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <string>
#include <vector>

#include "abi.h"
#include "block_order.h"
#include "fiber.h"

namespace warpcourt::cpu {

constexpr u32 kDefaultSharedBytes = 48 << 10;
constexpr u32 kMaxSharedBytes = 227 << 10;

struct Grid;

struct Launch {
  const Kernel* kernel = nullptr;
  Grid* node = nullptr;  // which this is the launch of
  u32 first_block = 0;   // race mode: the number of its first block in the family, see child_grids.h
  u64 acquired = 0;      // race mode: by the block that launched it
  std::string name;  // demangled
  u64 number = 0;    // distinct for every launch of the process
  Dim3 grid{};
  Dim3 block{};
  u32 threads = 0;
  u32 static_shared_bytes = 0;
  u32 dynamic_shared_bytes = 0;
  u64 blocks = 0;
  bool cooperative = false;
  int device = 0;
  std::vector<u64> parameters;  // eight-byte words for alignment
  BlockOrder order = BlockOrder::kAscending;
  u64 resident = 1;             // blocks that one OS thread starts while others wait; the window of `order`
  u64 most_resident = 1;        // blocks that all OS threads together start if all of these wait for others
  std::atomic<u64> admitted{0}; // blocks that OS threads may start at the same time, see admit_more
  std::atomic<u64> next{0};     // tickets for blocks, see block_at

  // How large the stacks of its threads are, see fiber.h.
  std::size_t stack_units() const {
    return kernel->resources.local_bytes > kMostOfOrdinaryStack ? kLargeStack : 1;
  }
  const u8* parameter_bytes() const { return reinterpret_cast<const u8*>(parameters.data()); }
};

struct LaunchShape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes;
  bool cooperative;
};

// Runs a kernel to its end and then what it launched itself, or records it for a graph. `host_stub` names it.
cudaError_t launch_kernel(const void* host_stub, const LaunchShape& shape, void** arguments, cudaStream_t stream);

// Why that shape cannot be launched, or "" when it can; `error` becomes the CUDA error.
std::string objection(const Kernel& kernel, const LaunchShape& shape, cudaError_t& error);

}  // namespace warpcourt::cpu
