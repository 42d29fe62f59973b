// Texture objects and the fetches of device code. See textures.h.
#include "textures.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "counters.h"
#include "cuda_error.h"
#include "device_limits.h"
#include "diagnostics.h"
#include "engine.h"
#include "memory.h"
#include "requests.h"
#include "races.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

struct Texture {
  Image image;
  cudaResourceDesc resource;
  cudaTextureDesc how;
};

float half_to_float(u16 half) { return static_cast<float>(std::bit_cast<_Float16>(half)); }

// The raw bits of one component, sign-extended where the format is signed.
u32 raw_component(const Image& image, const u8* texel, int component) {
  const int widths[] = {image.format.x, image.format.y, image.format.z, image.format.w};
  u32 offset = 0;
  for (int i = 0; i < component; ++i) offset += static_cast<u32>(widths[i]) / 8;
  const u32 bytes = static_cast<u32>(widths[component]) / 8;
  u32 value = 0;
  std::memcpy(&value, texel + offset, bytes);
  if (image.format.f == cudaChannelFormatKindSigned && bytes < 4) {
    const u32 shift = 32 - 8 * bytes;
    value = static_cast<u32>(static_cast<s32>(value << shift) >> shift);
  }
  return value;
}

// The component as a float: normalised integers map to [0, 1] or [-1, 1].
float float_component(const Image& image, const u8* texel, int component) {
  const int widths[] = {image.format.x, image.format.y, image.format.z, image.format.w};
  const int width = widths[component];
  if (width == 0) return 0;
  const u32 raw = raw_component(image, texel, component);
  if (image.format.f == cudaChannelFormatKindFloat) {
    return width == 16 ? half_to_float(static_cast<u16>(raw)) : std::bit_cast<float>(raw);
  }
  if (image.format.f == cudaChannelFormatKindSigned) {
    return std::max(-1.0f, static_cast<float>(static_cast<s32>(raw)) / static_cast<float>((1 << (width - 1)) - 1));
  }
  return static_cast<float>(raw) / static_cast<float>((1u << width) - 1);
}

// The texel that `index` addresses along one dimension, or -1 for the border.
s64 wrapped(s64 index, s64 size, cudaTextureAddressMode mode) {
  if (index >= 0 && index < size) return index;
  switch (mode) {
    case cudaAddressModeWrap: return ((index % size) + size) % size;
    case cudaAddressModeMirror: {
      const s64 period = ((index % (2 * size)) + 2 * size) % (2 * size);
      return period < size ? period : 2 * size - 1 - period;
    }
    case cudaAddressModeBorder: return -1;
    default: return std::clamp<s64>(index, 0, size - 1);
  }
}

struct Sampler {
  const Texture& texture;
  u32 dimensions;

  const u8* texel(const s64* index) const {
    const u64 sizes[] = {texture.image.width, texture.image.height, texture.image.depth};
    s64 at[3] = {0, 0, 0};
    for (u32 d = 0; d < dimensions; ++d) {
      cudaTextureAddressMode mode = texture.how.addressMode[d];
      // Wrap and mirror need normalised coordinates; without them the hardware clamps.
      if (!texture.how.normalizedCoords && mode != cudaAddressModeBorder) mode = cudaAddressModeClamp;
      at[d] = wrapped(index[d], static_cast<s64>(sizes[d]), mode);
      if (at[d] < 0) return nullptr;
    }
    return texture.image.at(static_cast<u64>(at[0]), static_cast<u64>(at[1]), static_cast<u64>(at[2]));
  }

  // Calls `visit(index, share)` for each of the 2^dimensions texels around `base` that has a share in the result.
  template <class Visit>
  void for_corners(const s64* base, const float* weight, Visit visit) const {
    for (u32 corner = 0; corner < 1u << dimensions; ++corner) {
      s64 index[3] = {base[0], base[1], base[2]};
      float share = 1;
      for (u32 d = 0; d < dimensions; ++d) {
        const bool upper = corner >> d & 1;
        index[d] += upper;
        share *= upper ? weight[d] : 1 - weight[d];
      }
      if (share != 0) visit(index, share);
    }
  }

  float component(const s64* index, int number) const {
    const u8* found = texel(index);
    return found ? float_component(texture.image, found, number) : texture.how.borderColor[number];
  }

  float linear(const s64* base, const float* weight, int number) const {
    float sum = 0;
    for_corners(base, weight, [&](const s64* index, float share) { sum += share * component(index, number); });
    return sum;
  }
};

// The addresses that one lane's fetch or access needs.
class Needed {
 public:
  void add(const u8* texel) {
    if (texel) texels_[count_++] = reinterpret_cast<u64>(texel);
  }
  // Tells a counting run.
  void count(Thread* caller, u32 bytes, Access access, u32 location) const {
    if (!caller->races || !engine().options.counted) return;
    Range range;
    const bool on_host = count_ && find_range(texels_[0], bytes, range) && range.on_host;
    count_fetch(record(caller), {0, location, bytes, access, Space::kTexture, on_host}, {texels_, count_});
  }

  // Race mode: whether a cache may hold something else than memory does. If so, that is in memory until `put_back`.
  bool show_cached(Thread* caller, u32 bytes, u32 location) {
    if (!caller->races) return false;
    u8 cached[kMost][kWidest];
    for (u32 i = 0; i < count_; ++i) {
      races().cached(record(caller), texels_[i], bytes, location);
      std::memcpy(cached[i], reinterpret_cast<const void*>(texels_[i]), bytes);
    }
    races().settle();
    bool differs = false;
    for (u32 i = 0; i < count_; ++i) {
      std::memcpy(newest_[i], reinterpret_cast<const void*>(texels_[i]), bytes);
      differs |= std::memcmp(newest_[i], cached[i], bytes) != 0;
    }
    if (differs) copy_all(cached, bytes);
    return differs;
  }
  void put_back(u32 bytes) const { copy_all(newest_, bytes); }

 private:
  static constexpr u32 kMost = 8;     // as linear filtering in three dimensions needs
  static constexpr u32 kWidest = 16;  // bytes of a texel

  void copy_all(const u8 (&from)[kMost][kWidest], u32 bytes) const {
    for (u32 i = 0; i < count_; ++i) std::memcpy(reinterpret_cast<void*>(texels_[i]), from[i], bytes);
  }

  u64 texels_[kMost];
  u32 count_ = 0;
  u8 newest_[kMost][kWidest];
};

Needed fetch(const Texture& texture, u32 dimensions, const float* coordinates, u32* result) {
  const Sampler sampler{texture, dimensions};
  const u64 sizes[] = {texture.image.width, texture.image.height, texture.image.depth};
  const bool linear = texture.how.filterMode == cudaFilterModeLinear;
  s64 index[3] = {0, 0, 0};
  float weight[3] = {0, 0, 0};
  for (u32 d = 0; d < dimensions; ++d) {
    float at = coordinates[d];
    if (texture.how.normalizedCoords) at *= static_cast<float>(sizes[d]);
    if (linear) at -= 0.5f;
    const float whole = std::floor(at);
    index[d] = static_cast<s64>(whole);
    weight[d] = std::round((at - whole) * 256.0f) / 256.0f;
  }
  const bool as_float = texture.how.readMode == cudaReadModeNormalizedFloat ||
                        texture.image.format.f == cudaChannelFormatKindFloat;
  const u8* texel = sampler.texel(index);
  for (int i = 0; i < 4; ++i) {
    if (!as_float) {
      result[i] = texel ? raw_component(texture.image, texel, i) : static_cast<u32>(texture.how.borderColor[i]);
    } else {
      result[i] = std::bit_cast<u32>(linear ? sampler.linear(index, weight, i) : sampler.component(index, i));
    }
  }
  Needed needed;
  if (as_float && linear) {
    sampler.for_corners(index, weight, [&](const s64* at, float) { needed.add(sampler.texel(at)); });
  } else {
    needed.add(texel);
  }
  return needed;
}

// tex1Dfetch and its kin: texels by number, zero outside.
Needed fetch_by_number(const Texture& texture, u32 dimensions, const u32* coordinates, u32* result) {
  const s64 x = static_cast<s32>(coordinates[0]), y = dimensions > 1 ? static_cast<s32>(coordinates[1]) : 0;
  const bool inside = x >= 0 && y >= 0 && x < static_cast<s64>(texture.image.width) &&
                      y < static_cast<s64>(texture.image.height);
  const u8* texel = inside ? texture.image.at(static_cast<u64>(x), static_cast<u64>(y), 0) : nullptr;
  const bool normalised = texture.how.readMode == cudaReadModeNormalizedFloat ||
                          texture.image.format.f == cudaChannelFormatKindFloat;
  for (int i = 0; i < 4; ++i) {
    if (!texel) result[i] = 0;
    else if (normalised) result[i] = std::bit_cast<u32>(float_component(texture.image, texel, i));
    else result[i] = raw_component(texture.image, texel, i);
  }
  Needed needed;
  needed.add(texel);
  return needed;
}

[[noreturn]] void bad_object(Thread* caller, u64 object, const char* what, u32 location) {
  const ThreadRecord& thread = record(caller);
  fail({Severity::kError, "bad_texture",
        std::string(what) + ' ' + hexadecimal(object) + " does not exist" + place(thread, location) +
            ". Create it with cudaCreateTextureObject or cudaCreateSurfaceObject, and pass it by value.",
        where(thread, location)},
       wire::kIllegalAccess);
}

// Objects are pointers to records that are registered while they live, which tells them from garbage.
const Texture& checked(Thread* caller, u64 object, const char* what, u32 location) {
  const std::optional<Allocation> range = live_allocation(object);
  if (!range || range->base != object || range->name != what) bad_object(caller, object, what, location);
  return *reinterpret_cast<const Texture*>(object);
}

u64 publish(Texture* texture, const char* what) {
  register_memory(texture, sizeof *texture, MemoryKind::kVariable, what);
  return reinterpret_cast<u64>(texture);
}

cudaError_t retire(u64 object) {
  if (object && unregister_memory(reinterpret_cast<void*>(object))) delete reinterpret_cast<Texture*>(object);
  return cudaSuccess;
}

// Why CUDA refuses that image in linear memory, or "".
std::string objection(const cudaResourceDesc& resource) {
  if (resource.resType != cudaResourceTypePitch2D) return "";
  const u64 pitch = resource.res.pitch2D.pitchInBytes;
  if (pitch % kTexturePitchAlignment == 0) return "";
  return "cudaCreateTextureObject: pitchInBytes is " + std::to_string(pitch) + ", which is not a multiple of " +
         std::to_string(kTexturePitchAlignment) +
         " (cudaDeviceProp::texturePitchAlignment). Copy the rows to memory of cudaMallocPitch with cudaMemcpy2D";
}

bool describe(const cudaResourceDesc& resource, Image& image) {
  switch (resource.resType) {
    case cudaResourceTypeArray: image = image_of(*resource.res.array.array); return true;
    case cudaResourceTypeLinear:
      image.texels = static_cast<u8*>(resource.res.linear.devPtr);
      image.format = resource.res.linear.desc;
      image.width = resource.res.linear.sizeInBytes / std::max(1u, image.texel_bytes());
      image.pitch = resource.res.linear.sizeInBytes;
      return true;
    case cudaResourceTypePitch2D:
      image.texels = static_cast<u8*>(resource.res.pitch2D.devPtr);
      image.format = resource.res.pitch2D.desc;
      image.width = resource.res.pitch2D.width;
      image.height = resource.res.pitch2D.height;
      image.pitch = resource.res.pitch2D.pitchInBytes;
      return true;
    default: return false;
  }
}

}  // namespace

Image image_of(const cudaArray& array) {
  Image image;
  image.texels = array.texels;
  image.format = array.format;
  image.width = array.extent.width;
  image.height = std::max<u64>(1, array.extent.height);
  image.depth = std::max<u64>(1, array.extent.depth);
  image.pitch = image.width * image.texel_bytes();
  return image;
}

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* how, const cudaResourceViewDesc*) {
  const std::string why_not = objection(*resource);
  if (!why_not.empty()) return refuse(cudaErrorInvalidValue, why_not);
  auto* texture = new Texture{{}, *resource, *how};
  if (!describe(*resource, texture->image)) {
    delete texture;
    return refuse(cudaErrorNotSupported, "cudaCreateTextureObject: mipmapped arrays are not supported");
  }
  *object = publish(texture, "texture object");
  return cudaSuccess;
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) { return retire(object); }
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t object) {
  *resource = reinterpret_cast<const Texture*>(object)->resource;
  return cudaSuccess;
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  if (resource->resType != cudaResourceTypeArray) {
    return refuse(cudaErrorInvalidValue, "cudaCreateSurfaceObject: a surface needs a CUDA array");
  }
  *object = publish(new Texture{image_of(*resource->res.array.array), *resource, {}}, "surface object");
  return cudaSuccess;
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return retire(object); }

void wc_texture(Thread* caller, u64 object, u32 dimensions, bool integer_coordinates, const u32* coordinates,
                u32* result, u32 location) {
  const Texture& texture = checked(caller, object, "texture object", location);
  const u32 bytes = texture.image.texel_bytes();
  const auto read = [&] {
    if (integer_coordinates) return fetch_by_number(texture, dimensions, coordinates, result);
    float at[3] = {0, 0, 0};
    for (u32 d = 0; d < dimensions; ++d) at[d] = std::bit_cast<float>(coordinates[d]);
    return fetch(texture, dimensions, at, result);
  };
  if (caller->races) races().settle();
  Needed needed = read();
  if (needed.show_cached(caller, bytes, location)) {
    read();
    needed.put_back(bytes);
  }
  needed.count(caller, bytes, Access::kRead, location);
}

void wc_surface(Thread* caller, u64 object, u32 dimensions, const u32* coordinates, u32 bytes, void* data,
                Access access, u32 location) {
  const Texture& surface = checked(caller, object, "surface object", location);
  const Image& image = surface.image;
  u64 at[3] = {0, 0, 0};
  for (u32 d = 0; d < dimensions; ++d) at[d] = coordinates[d];
  // The x coordinate of a surface counts bytes.
  const bool inside = at[0] + bytes <= image.pitch && at[1] < image.height && at[2] < image.depth;
  if (!inside) {
    const ThreadRecord& thread = record(caller);
    fail({Severity::kError, "out_of_bounds",
          "surface access at byte " + std::to_string(at[0]) + ", row " + std::to_string(at[1]) + " of " +
              std::to_string(image.pitch) + " bytes, " + count(image.height, "row") + place(thread, location) +
              ". The x coordinate is in bytes: x * sizeof(type).",
          where(thread, location)},
         wire::kIllegalAccess);
  }
  u8* texel = image.at(0, at[1], at[2]) + at[0];
  if (caller->races) {
    take_turn(record(caller), access, location);
    races().global(record(caller), reinterpret_cast<u64>(texel), bytes, access, location);
  }
  if (access == Access::kRead) std::memcpy(data, texel, bytes);
  else std::memcpy(texel, data, bytes);
  Needed needed;
  needed.add(texel);
  needed.count(caller, bytes, access, location);
}

}  // extern "C"

}  // namespace warpcourt::cpu
