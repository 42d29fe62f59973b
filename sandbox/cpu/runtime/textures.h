// Texture and surface objects: images in device memory with a way to read them.
//
// Source: CUDA C++ Programming Guide, "Texture Fetching". Linear filtering uses nine-bit fixed-point weights
// with eight fractional bits, as the hardware does.
#pragma once

#include <cuda_runtime_api.h>

#include "abi.h"

// A CUDA array: an image that only textures, surfaces and copies can reach.
struct cudaArray {
  cudaChannelFormatDesc format;
  cudaExtent extent;  // in texels; height and depth are 0 where there is no such dimension
  warpcourt::cpu::u8* texels;
};

namespace warpcourt::cpu {

struct Image {
  u8* texels = nullptr;
  u64 width = 1, height = 1, depth = 1;  // in texels
  u64 pitch = 0;                         // bytes from row to row
  cudaChannelFormatDesc format{};

  u32 texel_bytes() const { return static_cast<u32>(format.x + format.y + format.z + format.w) / 8; }
  u8* at(u64 x, u64 y, u64 z) const { return texels + (z * height + y) * pitch + x * texel_bytes(); }
};

Image image_of(const cudaArray& array);

}  // namespace warpcourt::cpu
