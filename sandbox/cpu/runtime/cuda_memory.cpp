// Allocation: cudaMalloc and its family, cudaFree, and what is known about a pointer.
#include <cuda_runtime_api.h>

#include <span>

#include "cuda_error.h"
#include "devices.h"
#include "diagnostics.h"
#include "engine.h"
#include "host_trace.h"
#include "memory.h"
#include "operations.h"
#include "stream_capture.h"
#include "streams.h"

namespace warpcourt::cpu {
namespace {

constexpr std::size_t kPitchAlignment = 512;

cudaError_t allocated(void** pointer, void* memory) {
  *pointer = memory;
  return memory ? cudaSuccess : set_error(cudaErrorMemoryAllocation);
}

cudaError_t allocate(void** pointer, std::size_t bytes, HostEvent event, const char* call, int device) {
  *pointer = nullptr;
  const bool pooled = event == HostEvent::kStreamOrderedAllocation;
  if (refused(call) || (!pooled && refused_in_capture(call))) return last_error();
  if (bytes) host_trace().count(event, call);
  return bytes ? allocated(pointer, allocate_device(bytes, device, pooled)) : cudaSuccess;
}

// Stream-ordered memory exists only after its stream has executed the allocation. Earlier writes by kernels of other
// streams are lost, so an allocation that is postponed fills the memory again.
cudaError_t allocate_in_order(void** pointer, std::size_t bytes, const char* call, int device, cudaStream_t stream) {
  if (refused(call, stream)) return last_error();
  if (StreamCapture* const capture = capture_of(stream)) {
    return refuse_in_capture(*capture, cudaErrorNotSupported, std::string(call) + ": functional mode does not support allocations in a "
                                                                       "graph. The program may be right on a GPU");
  }
  const cudaError_t error = allocate(pointer, bytes, HostEvent::kStreamOrderedAllocation, call, device);
  if (error != cudaSuccess || !*pointer) return error;
  const u64 base = reinterpret_cast<u64>(*pointer);
  const auto describe = [base, bytes, call] {
    Description description{.name = call, .verb = "allocates"};
    description.touched.add(Use::kWrites, {base, base + bytes});
    description.keep = [base] {
      return [base] {
        forget_contents(base);
        return cudaSuccess;
      };
    };
    return description;
  };
  return submit(stream, {[] { return cudaSuccess; }, describe});
}

// A pool is the one of a device. Nothing else is known of it, but which devices have access.
cudaMemPool_t pool_of(int device) {
  static int pools[kMostDevices];
  return reinterpret_cast<cudaMemPool_t>(&pools[device]);
}

int device_of(cudaMemPool_t pool) {
  int device = 0;
  while (is_device(device) && pool_of(device) != pool) ++device;
  return is_device(device) ? device : current_device();
}

cudaError_t allocate_outside(void** pointer, std::size_t bytes, MemoryKind kind, const char* call) {
  *pointer = nullptr;
  if (refused(call) || refused_in_capture(call)) return last_error();
  if (bytes) host_trace().count(kind == MemoryKind::kManaged ? HostEvent::kManagedAllocation : HostEvent::kPinnedAllocation, call);
  operations().watch();
  return bytes ? allocated(pointer, allocate_host(bytes, kind)) : cudaSuccess;
}

// A bad free ends the program: on a device the error is sticky or the heap is broken, and nobody looks.
cudaError_t release(void* pointer, bool host, const char* call) {
  if (!pointer) return cudaSuccess;
  const std::string address = std::string(call) + '(' + hexadecimal(reinterpret_cast<u64>(pointer)) + ")";
  const std::optional<Allocation> range = nearest_allocation(reinterpret_cast<u64>(pointer));
  std::string what;
  switch (free_memory(pointer, host)) {
    case FreeResult::kFreed: return cudaSuccess;
    case FreeResult::kTwice: what = " frees " + range->text() + " a second time. Free each pointer once."; break;
    case FreeResult::kNotBase:
      what = " points " + std::to_string(reinterpret_cast<u64>(pointer) - range->base) + " bytes into " + range->text() +
             ". Free the pointer that the allocation returned.";
      break;
    case FreeResult::kWrongKind:
      what = range->argument ? " frees " + range->text() + ", which belongs to the caller of solve()."
                                                  : " does not match the allocation of " + range->text() + ": cudaFree for "
                                                    "cudaMalloc, cudaFreeHost for cudaMallocHost.";
      break;
    case FreeResult::kUnknown: what = ": no CUDA allocation starts there."; break;
  }
  fail({Severity::kError, "bad_free", address + what, {}}, wire::kIllegalAccess);
}

// These wait until the device has nothing more to do.
cudaError_t release_after_all(void* pointer, bool host, const char* call) {
  if (refused(call) || refused_in_capture(call)) return last_error();
  if (pointer) {
    host_trace().count(HostEvent::kSynchronisation, call);
    if (!host) host_trace().count(HostEvent::kDeviceFree, call);
    operations().host_waits_for_all();
  }
  return release(pointer, host, call);
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return allocate(pointer, bytes, HostEvent::kDeviceAllocation, "cudaMalloc", current_device());
}
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return allocate_in_order(pointer, bytes, "cudaMallocAsync", place_of(stream).device, stream);
}
cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return allocate_in_order(pointer, bytes, "cudaMallocFromPoolAsync", device_of(pool), stream);
}
cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) {
  return allocate_outside(pointer, bytes, MemoryKind::kManaged, "cudaMallocManaged");
}
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return allocate_outside(pointer, bytes, MemoryKind::kPinned, "cudaMallocHost");
}
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  return allocate_outside(pointer, bytes, MemoryKind::kPinned, "cudaMallocHost");
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  *pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  return allocate(pointer, *pitch * height, HostEvent::kDeviceAllocation, "cudaMallocPitch", current_device());
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  pitched->xsize = extent.width;
  pitched->ysize = extent.height;
  return cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaFree(void* pointer) { return release_after_all(pointer, false, "cudaFree"); }
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  const auto describe = [pointer] {
    Description description{.name = "cudaFreeAsync", .verb = "frees"};
    const std::optional<Allocation> range = live_allocation(reinterpret_cast<u64>(pointer));
    if (range) description.touched.add(Use::kWrites, {range->base, range->base + range->bytes});
    return description;
  };
  const auto work = [pointer] {
    if (pointer) host_trace().count(HostEvent::kStreamOrderedFree, "cudaFreeAsync");
    return release(pointer, false, "cudaFreeAsync");
  };
  return submit(stream, {work, describe});
}
cudaError_t cudaFreeHost(void* pointer) { return release_after_all(pointer, true, "cudaFreeHost"); }

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
  const std::optional<Allocation> range = live_allocation(reinterpret_cast<u64>(pointer));
  if (range && range->kind != MemoryKind::kPageable) return set_error(cudaErrorHostMemoryAlreadyRegistered);
  if (range) operations().watch();
  return register_host(pointer, bytes) ? cudaSuccess : set_error(cudaErrorInvalidValue);
}
cudaError_t cudaHostUnregister(void* pointer) {
  host_trace().count(HostEvent::kSynchronisation, "cudaHostUnregister");
  operations().host_waits_for_all();
  return unregister_host(pointer) ? cudaSuccess : set_error(cudaErrorHostMemoryNotRegistered);
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  const std::optional<Allocation> range = live_allocation(reinterpret_cast<u64>(host));
  const bool mapped = range && range->kind != MemoryKind::kDevice && range->kind != MemoryKind::kPageable;
  return mapped ? cudaSuccess : set_error(cudaErrorInvalidValue);
}
cudaError_t cudaHostGetFlags(unsigned* flags, void*) {
  *flags = cudaHostAllocMapped;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = bytes_of_device();
  *free = *total - device_bytes_in_use(current_device());
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  *attributes = {};
  attributes->hostPointer = const_cast<void*>(pointer);
  const std::optional<Allocation> range = live_allocation(reinterpret_cast<u64>(pointer));
  if (!range || range->kind == MemoryKind::kPageable) {
    attributes->type = cudaMemoryTypeUnregistered;
    return cudaSuccess;
  }
  attributes->devicePointer = const_cast<void*>(pointer);
  attributes->device = range->kind == MemoryKind::kDevice ? range->device : current_device();
  switch (range->kind) {
    case MemoryKind::kManaged: attributes->type = cudaMemoryTypeManaged; break;
    case MemoryKind::kRegistered:
    case MemoryKind::kPinned: attributes->type = cudaMemoryTypeHost; break;
    default:
      attributes->type = cudaMemoryTypeDevice;
      attributes->hostPointer = nullptr;
  }
  return cudaSuccess;
}

// Hints without effect here.
#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, cudaMemLocation, unsigned, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, cudaMemLocation) { return cudaSuccess; }
#else
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, int) { return cudaSuccess; }
#endif
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, std::size_t, unsigned) { return cudaSuccess; }
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  if (!is_device(device)) return set_error(cudaErrorInvalidDevice);
  *pool = pool_of(device);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) { return cudaDeviceGetDefaultMemPool(pool, device); }
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* wanted, std::size_t count) {
  const int owner = device_of(pool);
  for (const cudaMemAccessDesc& one : std::span(wanted, count)) {
    if (one.location.type != cudaMemLocationTypeDevice || !is_device(one.location.id)) {
      return refuse(cudaErrorInvalidDevice, "cudaMemPoolSetAccess: a location is not a device of this program");
    }
    if (one.flags != cudaMemAccessFlagsProtNone && one.flags != cudaMemAccessFlagsProtReadWrite) {
      return refuse(cudaErrorInvalidValue,
                    "cudaMemPoolSetAccess: flags must be cudaMemAccessFlagsProtReadWrite or cudaMemAccessFlagsProtNone");
    }
    if (one.location.id == owner && one.flags == cudaMemAccessFlagsProtNone) {
      return refuse(cudaErrorInvalidDevice, "cudaMemPoolSetAccess: a device cannot lose access to its own pool");
    }
  }
  for (const cudaMemAccessDesc& one : std::span(wanted, count)) {
    set_pool_access(one.location.id, owner, one.flags == cudaMemAccessFlagsProtReadWrite);
  }
  return cudaSuccess;
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
  if (location->type != cudaMemLocationTypeDevice || !is_device(location->id)) return set_error(cudaErrorInvalidValue);
  *flags = can_access_pool(location->id, device_of(pool)) ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) { return cudaSuccess; }

}  // extern "C"

}  // namespace warpcourt::cpu
