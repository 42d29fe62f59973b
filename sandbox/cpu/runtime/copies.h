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

cudaError_t copy(const char* call, Place to, Place from, Extent extent, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t fill(const char* call, Place to, Extent extent, int value, cudaStream_t stream);

}  // namespace warpcourt::cpu
