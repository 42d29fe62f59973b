// The device as programs see it: properties, attributes, limits, function attributes and occupancy.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>

#include "child_grids.h"
#include "cuda_error.h"
#include "device_limits.h"
#include "devices.h"
#include "diagnostics.h"
#include "engine.h"
#include "fiber.h"
#include "host_trace.h"
#include "launch.h"
#include "memory.h"
#include "needless_waits.h"
#include "occupancy.h"
#include "operations.h"
#include "registry.h"

namespace warpcourt::cpu {
namespace {

constexpr int kRuntimeVersion = CUDART_VERSION;
constexpr int kUsualRegisters = 32;  // of a thread, if ptxas did not say

int attribute(cudaDeviceAttr name) {
  switch (name) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY: return 1024;
    case cudaDevAttrMaxBlockDimZ: return kMaxBlockZ;
    case cudaDevAttrMaxGridDimX: return kMaxGridX;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ: return kMaxGridYZ;
    case cudaDevAttrMaxSharedMemoryPerBlock: return kDefaultSharedBytes;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return kMaxSharedBytes;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return kSharedPerMultiprocessor;
    case cudaDevAttrReservedSharedMemoryPerBlock: return kReservedSharedPerBlock;
    case cudaDevAttrTotalConstantMemory: return kConstantBytes;
    case cudaDevAttrWarpSize: return 32;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor: return kRegistersPerMultiprocessor;
    case cudaDevAttrMultiProcessorCount: return kMultiprocessors;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return kThreadsPerMultiprocessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor: return kBlocksPerMultiprocessor;
    case cudaDevAttrL2CacheSize: return kL2Bytes;
    case cudaDevAttrComputeCapabilityMajor: return kComputeMajor;
    case cudaDevAttrComputeCapabilityMinor: return kComputeMinor;
    case cudaDevAttrClockRate: return 1'000'000;
    case cudaDevAttrMemoryClockRate: return 1'000'000;
    case cudaDevAttrGlobalMemoryBusWidth: return 64;
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrAsyncEngineCount: return 1;
    default: return 0;
  }
}

}  // namespace

extern "C" {

cudaError_t cudaDeviceSynchronize() {
  if (refused("cudaDeviceSynchronize") || refused_in_capture("cudaDeviceSynchronize", true)) return last_error();
  host_trace().count(HostEvent::kSynchronisation, "cudaDeviceSynchronize");
  needless_waits().wait("cudaDeviceSynchronize");
  operations().host_waits_for_device(current_device());
  return cudaSuccess;
}
cudaError_t cudaDeviceReset() { return cudaDeviceSynchronize(); }
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
cudaError_t cudaInitDevice(int, unsigned, unsigned) { return cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = kRuntimeVersion;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr name, int device) {
  if (!is_device(device)) return set_error(cudaErrorInvalidDevice);
  *value = attribute(name);
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit name, std::size_t value) {
  if (name == cudaLimitDevRuntimePendingLaunchCount) family().set_limit(value);
  if (name == cudaLimitMallocHeapSize) set_heap_limit(value);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit name) {
  if (name == cudaLimitDevRuntimePendingLaunchCount) {
    *value = family().limit();
    return cudaSuccess;
  }
  *value = name == cudaLimitStackSize ? kStackBytes : name == cudaLimitMallocHeapSize ? heap_limit() : std::size_t{8} << 20;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (!is_device(device)) return set_error(cudaErrorInvalidDevice);
  *properties = {};
  std::strcpy(properties->name, "Warpcourt functional mode (CPU)");
  properties->totalGlobalMem = bytes_of_device();
  properties->pciBusID = device + 1;
  properties->sharedMemPerBlock = kDefaultSharedBytes;
  properties->sharedMemPerBlockOptin = kMaxSharedBytes;
  properties->sharedMemPerMultiprocessor = kSharedPerMultiprocessor;
  properties->reservedSharedMemPerBlock = kReservedSharedPerBlock;
  properties->regsPerBlock = properties->regsPerMultiprocessor = kRegistersPerMultiprocessor;
  properties->warpSize = 32;
  properties->memPitch = std::size_t{1} << 31;
  properties->maxThreadsPerBlock = 1024;
  properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
  properties->maxThreadsDim[2] = kMaxBlockZ;
  properties->maxGridSize[0] = kMaxGridX;
  properties->maxGridSize[1] = properties->maxGridSize[2] = kMaxGridYZ;
  properties->totalConstMem = kConstantBytes;
  properties->major = kComputeMajor;
  properties->minor = kComputeMinor;
  properties->multiProcessorCount = kMultiprocessors;
  properties->maxThreadsPerMultiProcessor = kThreadsPerMultiprocessor;
  properties->maxBlocksPerMultiProcessor = kBlocksPerMultiprocessor;
  properties->l2CacheSize = kL2Bytes;
  properties->memoryBusWidth = 64;
  properties->textureAlignment = 512;
  properties->texturePitchAlignment = kTexturePitchAlignment;
  properties->unifiedAddressing = properties->managedMemory = properties->concurrentManagedAccess = 1;
  properties->concurrentKernels = properties->asyncEngineCount = properties->canMapHostMemory = 1;
  properties->cooperativeLaunch = properties->streamPrioritiesSupported = properties->memoryPoolsSupported = 1;
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  *attributes = {};
  const Kernel* kernel = find_kernel(function);
  if (!kernel) return set_error(cudaErrorInvalidDeviceFunction);
  attributes->sharedSizeBytes = kernel->static_shared_bytes;
  attributes->maxThreadsPerBlock = static_cast<int>(largest_block(*kernel));
  attributes->numRegs = kernel->resources.known ? static_cast<int>(kernel->resources.registers) : kUsualRegisters;
  attributes->ptxVersion = attributes->binaryVersion = kComputeMajor * 10 + kComputeMinor;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit(*kernel));
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute name, int value) {
  const Kernel* kernel = find_kernel(function);
  if (!kernel) return refuse(cudaErrorInvalidDeviceFunction, "cudaFuncSetAttribute: the function is not a kernel");
  if (name != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  const int limit = static_cast<int>(kMaxSharedBytes - kernel->static_shared_bytes);
  if (value < 0 || value > limit) {
    return refuse(cudaErrorInvalidValue, "cudaFuncSetAttribute: kernel " + demangle(kernel->name) + " can have at most " +
                                             std::to_string(limit) + " bytes of dynamic shared memory, not " +
                                             std::to_string(value));
  }
  set_dynamic_shared_limit(*kernel, static_cast<u32>(value));
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                   std::size_t dynamic_bytes, unsigned) {
  const Kernel* kernel = find_kernel(function);
  if (!kernel) return refuse(cudaErrorInvalidDeviceFunction, "occupancy was queried for a function that is not a kernel");
  if (threads <= 0 || threads > 1024) return refuse(cudaErrorInvalidValue, "occupancy was queried for an invalid block size");
  *blocks = static_cast<int>(resident_blocks(*kernel, static_cast<u32>(threads), dynamic_bytes));
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          std::size_t dynamic_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, dynamic_bytes, 0);
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function, int blocks, int) {
  const Kernel* kernel = find_kernel(function);
  if (!kernel) return refuse(cudaErrorInvalidDeviceFunction, "occupancy was queried for a function that is not a kernel");
  const u64 share = kSharedPerMultiprocessor / static_cast<u64>(std::max(1, blocks)) - kReservedSharedPerBlock;
  *bytes = std::min<u64>(share, kMaxSharedBytes) - kernel->static_shared_bytes;
  return cudaSuccess;
}

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

}  // extern "C"

}  // namespace warpcourt::cpu
