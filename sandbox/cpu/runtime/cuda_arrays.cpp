// CUDA arrays: allocation and copies.
#include <cuda_runtime_api.h>

#include "copies.h"
#include "cuda_error.h"
#include "devices.h"
#include "host_trace.h"
#include "memory.h"
#include "operations.h"
#include "textures.h"

namespace warpcourt::cpu {
namespace {

cudaError_t make_array(cudaArray_t* array, const cudaChannelFormatDesc& format, const cudaExtent& extent, const char* call) {
  host_trace().count(HostEvent::kDeviceAllocation, call);
  auto made = new cudaArray{format, extent, nullptr};
  const Image image = image_of(*made);
  made->texels = static_cast<u8*>(allocate_device(image.pitch * image.height * image.depth, current_device()));
  if (!made->texels) {
    delete made;
    return set_error(cudaErrorMemoryAllocation);
  }
  *array = made;
  return cudaSuccess;
}

Place rows(const Image& image, std::size_t x_bytes, std::size_t y) {
  return {image.at(0, y, 0) + x_bytes, image.pitch, image.pitch * image.height};
}

Place rows(const void* base, std::size_t pitch, std::size_t slice = 0) {
  return {static_cast<u8*>(const_cast<void*>(base)), pitch, slice};
}

Place end_of(const cudaArray_t array, const cudaPitchedPtr& pointer, const cudaPos& at) {
  if (array) {
    const Image image = image_of(*array);
    return {image.at(at.x, at.y, at.z), image.pitch, image.pitch * image.height};
  }
  const std::size_t slice = pointer.pitch * pointer.ysize;
  return rows(static_cast<u8*>(pointer.ptr) + at.z * slice + at.y * pointer.pitch + at.x, pointer.pitch, slice);
}

// The extent's width counts texels when an array takes part, else bytes.
cudaError_t copy_box(const cudaMemcpy3DParms& p, In in) {
  const cudaArray_t array = p.dstArray ? p.dstArray : p.srcArray;
  const u64 unit = array ? image_of(*array).texel_bytes() : 1;
  return copy("cudaMemcpy3D", end_of(p.dstArray, p.dstPtr, p.dstPos), end_of(p.srcArray, p.srcPtr, p.srcPos),
              {p.extent.width * unit, p.extent.height, p.extent.depth}, p.kind, in);
}

}  // namespace

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, std::size_t width,
                            std::size_t height, unsigned) {
  return make_array(array, *format, {width, height, 0}, "cudaMallocArray");
}
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent, unsigned) {
  return make_array(array, *format, extent, "cudaMalloc3DArray");
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  if (!array) return cudaSuccess;
  host_trace().count(HostEvent::kSynchronisation, "cudaFreeArray");
  host_trace().count(HostEvent::kDeviceFree, "cudaFreeArray");
  operations().host_waits_for_all();
  free_memory(array->texels, false);
  delete array;
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                                std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return copy("cudaMemcpy2DToArray", rows(image_of(*to), x, y), rows(from, pitch), {width, height}, kind, In::synchronous());
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                                     std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy("cudaMemcpy2DToArray", rows(image_of(*to), x, y), rows(from, pitch), {width, height}, kind, stream);
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
                                  std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return copy("cudaMemcpy2DFromArray", rows(to, pitch), rows(image_of(*from), x, y), {width, height}, kind, In::synchronous());
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t bytes,
                              cudaMemcpyKind kind) {
  return copy("cudaMemcpyToArray", rows(image_of(*to), x, y), rows(from, bytes), {bytes}, kind, In::synchronous());
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t bytes,
                                cudaMemcpyKind kind) {
  return copy("cudaMemcpyFromArray", rows(to, bytes), rows(image_of(*from), x, y), {bytes}, kind, In::synchronous());
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return copy_box(*parameters, stream);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) { return copy_box(*parameters, In::synchronous()); }

}  // extern "C"

}  // namespace warpcourt::cpu
