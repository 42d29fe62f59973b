// cudaMemcpy and cudaMemset in all their shapes, and copies to and from symbols.
#include <cuda_runtime_api.h>

#include "copies.h"
#include "cuda_error.h"
#include "devices.h"
#include "diagnostics.h"
#include "memory.h"
#include "registry.h"

namespace warpcourt::cpu {
namespace {

Place place(const void* base, std::size_t pitch = 0, std::size_t slice = 0) {
  return {static_cast<u8*>(const_cast<void*>(base)), pitch, slice};
}

// The bytes [offset, offset + bytes) of a variable, or null with the reason given.
u8* symbol_at(const char* call, const void* symbol, std::size_t bytes, std::size_t offset) {
  u64 size = 0;
  u8* address = find_variable(symbol, size);
  if (!address) {
    refuse(cudaErrorInvalidSymbol, std::string(call) + ": the symbol is not a __device__ or __constant__ variable");
  } else if (offset > size || bytes > size - offset) {
    refuse(cudaErrorInvalidValue, std::string(call) + ": the variable has " + std::to_string(size) + " bytes, not " +
                                      std::to_string(offset + bytes));
    address = nullptr;
  }
  return address ? address + offset : nullptr;
}

// A symbol is device memory. Here CUDA holds a direction that says otherwise against the program.
bool says_device(const char* call, cudaMemcpyKind kind, cudaMemcpyKind host_side) {
  if (kind == host_side || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault) return true;
  refuse(cudaErrorInvalidMemcpyDirection,
         std::string(call) + ": the symbol is device memory, but the direction says host");
  return false;
}

cudaError_t to_symbol(const char* call, const void* symbol, const void* source, std::size_t bytes, std::size_t offset,
                      cudaMemcpyKind kind, In in) {
  if (!says_device(call, kind, cudaMemcpyHostToDevice)) return last_error();
  u8* to = symbol_at(call, symbol, bytes, offset);
  return to ? copy(call, place(to), place(source), {bytes}, kind, in) : last_error();
}

cudaError_t from_symbol(const char* call, void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                        cudaMemcpyKind kind, In in) {
  if (!says_device(call, kind, cudaMemcpyDeviceToHost)) return last_error();
  u8* source = symbol_at(call, symbol, bytes, offset);
  return source ? copy(call, place(to), place(source), {bytes}, kind, in) : last_error();
}

// What a program says of one side of a copy between devices.
struct Side {
  const void* pointer;
  int device;
};

// Whether the memory is that of the device. CUDA goes by the pointer, so a wrong device is only a warning.
cudaError_t check_side(const char* call, const Side& side, const char* role) {
  if (!is_device(side.device)) {
    return refuse(cudaErrorInvalidDevice, std::string(call) + ": there is no device " + std::to_string(side.device));
  }
  const std::optional<Allocation> range = live_allocation(reinterpret_cast<u64>(side.pointer));
  if (range && range->kind == MemoryKind::kDevice && range->device != side.device) {
    report({Severity::kWarning, "copy_direction",
            std::string(call) + ": the " + role + " is memory of device " + std::to_string(range->device) + " (" + range->text() +
                "), but the call names device " + std::to_string(side.device) + ". Name the device that owns the memory.",
            {}});
  }
  return cudaSuccess;
}

cudaError_t copy_between(const char* call, const Side& to, const Side& from, std::size_t bytes, In in) {
  if (const cudaError_t error = check_side(call, to, "destination")) return error;
  if (const cudaError_t error = check_side(call, from, "source")) return error;
  return copy(call, place(to.pointer), place(from.pointer), {bytes}, cudaMemcpyDeviceToDevice, in);
}

cudaError_t fill_box(const char* call, const cudaPitchedPtr& to, int value, const cudaExtent& extent, In in) {
  return fill(call, place(to.ptr, to.pitch, to.pitch * to.ysize), {extent.width, extent.height, extent.depth}, value, in);
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy("cudaMemcpy", place(to), place(from), {bytes}, kind, In::synchronous());
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy("cudaMemcpyAsync", place(to), place(from), {bytes}, kind, stream);
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  return copy_between("cudaMemcpyPeer", {to, to_device}, {from, from_device}, bytes, In::synchronous());
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream) {
  return copy_between("cudaMemcpyPeerAsync", {to, to_device}, {from, from_device}, bytes, stream);
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy("cudaMemcpy2DAsync", place(to, to_pitch), place(from, from_pitch), {width, height}, kind, stream);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                         std::size_t height, cudaMemcpyKind kind) {
  return copy("cudaMemcpy2D", place(to, to_pitch), place(from, from_pitch), {width, height}, kind, In::synchronous());
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return fill("cudaMemset", place(to), {bytes}, value, In::synchronous());
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return fill("cudaMemsetAsync", place(to), {bytes}, value, stream);
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t stream) {
  return fill("cudaMemset2DAsync", place(to, pitch), {width, height}, value, stream);
}
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return fill("cudaMemset2D", place(to, pitch), {width, height}, value, In::synchronous());
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  return fill_box("cudaMemset3DAsync", to, value, extent, stream);
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return fill_box("cudaMemset3D", to, value, extent, In::synchronous());
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind kind) {
  return to_symbol("cudaMemcpyToSymbol", symbol, from, bytes, offset, kind, In::synchronous());
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return to_symbol("cudaMemcpyToSymbolAsync", symbol, from, bytes, offset, kind, stream);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                 cudaMemcpyKind kind) {
  return from_symbol("cudaMemcpyFromSymbol", to, symbol, bytes, offset, kind, In::synchronous());
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return from_symbol("cudaMemcpyFromSymbolAsync", to, symbol, bytes, offset, kind, stream);
}
cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  *address = symbol_at("cudaGetSymbolAddress", symbol, 0, 0);
  return *address ? cudaSuccess : last_error();
}
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  u64 size = 0;
  if (!find_variable(symbol, size)) return set_error(cudaErrorInvalidSymbol);
  *bytes = size;
  return cudaSuccess;
}

}  // extern "C"

}  // namespace warpcourt::cpu
