// The rectangles of bytes behind every copy and fill.
#pragma once

#include <cuda_runtime_api.h>

#include "abi.h"

namespace warpcourt::cpu {

// A block of `depth` × `height` rows of `width` bytes; rows are `pitch` bytes apart, slices `slice` bytes.
struct Extent {
  u64 width;
  u64 height = 1;
  u64 depth = 1;
};

struct Place {
  u8* base;
  u64 pitch = 0;
  u64 slice = 0;
};

// The stream of a call, and whether it is one of those that do not have one: they use the default stream, and the host
// waits for them where CUDA says so.
struct In {
  In(cudaStream_t of) : stream(of) {}

  cudaStream_t stream;
  bool waits = false;

  static In synchronous() {
    In in(nullptr);
    in.waits = true;
    return in;
  }
};

cudaError_t copy(const char* call, Place to, Place from, Extent extent, cudaMemcpyKind kind, In in);
cudaError_t fill(const char* call, Place to, Extent extent, int value, In in);

}  // namespace warpcourt::cpu
