// Operations of libraries that programs call, such as a matrix product. They replace the vendor's (sandbox/cpu/libraries)
// and are linked to the programs that use them.
//
// An operation is to its stream what a kernel is: it is ordered and postponed like one, watched for hazards, and counts as
// one launch. Before it touches memory, it says which (`touch`): every row is checked as an access of a kernel would be.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "abi.h"
#include "copies.h"

namespace warpcourt::cpu {

// A part of an argument that an operation reads or writes: rows of bytes, as of a copy (copies.h).
struct Operand {
  const char* call;         // "cublasSgemm"
  const char* name;         // "B"
  const void* base;
  u32 element_bytes;
  Extent extent;
  u64 pitch = 0;
  u64 slice = 0;
};

// Checks and notes an access to all of `operand`. Ends the process if a byte of it is in no allocation. Call it while
// the operation runs.
void touch(const Operand& operand, Access access);

// Runs `work` in `stream` like a kernel, with device memory open. If `host_waits`, it has ended on return.
cudaError_t submit_library_work(const char* call, cudaStream_t stream, std::function<void()> work,
                                bool host_waits = false);

// Handles and plans of libraries that the program made and has not destroyed.
void count_library_handle(int change);
u64 live_library_handles();

}  // namespace warpcourt::cpu
