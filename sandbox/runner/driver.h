// The part of the CUDA driver that the runner for GPUs uses, loaded at run time: neither headers nor a driver are
// needed to build it. Source: cuda.h, whose names these are.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpcourt::device {

using Result = int;      // CUresult
using Pointer = std::uint64_t;
using Handle = std::uint64_t;  // CUmemGenericAllocationHandle
using Device = int;
using Context = struct OpaqueContext*;
using Module = struct OpaqueModule*;
using Function = struct OpaqueFunction*;
using Stream = struct OpaqueStream*;

struct Location {
  int type = 1;  // CU_MEM_LOCATION_TYPE_DEVICE
  int id = 0;
};

struct AllocationProperties {
  int type = 1;          // CU_MEM_ALLOCATION_TYPE_PINNED
  int handle_types = 1;  // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
  Location location;
  void* win32_metadata = nullptr;
  unsigned char flags[8] = {};
};
static_assert(sizeof(AllocationProperties) == 32);

struct Access {
  Location location;
  int flags = 3;  // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
};
static_assert(sizeof(Access) == 12);

constexpr int kPosixDescriptor = 1;  // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
constexpr int kMinimumGranularity = 0;
constexpr unsigned kPortable = 1;      // CU_MEMHOSTREGISTER_PORTABLE
constexpr unsigned kDeviceMapped = 2;  // CU_MEMHOSTREGISTER_DEVICEMAP
constexpr unsigned kSpin = 1;         // CU_CTX_SCHED_SPIN
constexpr unsigned kWaitAtLeast = 0;  // CU_STREAM_WAIT_VALUE_GEQ

// CUdevice_attribute.
enum Attribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxBlockX = 2,
  kMaxBlockY = 3,
  kMaxBlockZ = 4,
  kMaxGridX = 5,
  kMaxGridY = 6,
  kMaxGridZ = 7,
  kMaxSharedPerBlock = 8,
  kMaxSharedPerBlockOptin = 97,
};

// The values of CUresult that decide something here; cudaError_t has the same ones.
enum Code : Result {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidConfiguration = 9,  // cudaErrorInvalidConfiguration; the driver says kInvalidValue
  kEccUncorrectable = 214,
  kNoBinaryForGpu = 209,
  kUnsupportedPtx = 222,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kAssert = 710,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kInvalidAddressSpace = 717,
  kInvalidPc = 718,
  kLaunchFailed = 719,
  kCooperativeLaunchTooLarge = 720,
  kMpsFirst = 805,
  kMpsLast = 810,
};

#define WARPCOURT_DRIVER_FUNCTIONS(X)                                                                         \
  X(cuInit, unsigned)                                                                                         \
  X(cuDeviceGet, Device*, int)                                                                                \
  X(cuDeviceGetAttribute, int*, int, Device)                                                                  \
  X(cuDevicePrimaryCtxSetFlags_v2, Device, unsigned)                                                          \
  X(cuDevicePrimaryCtxRetain, Context*, Device)                                                               \
  X(cuCtxSetCurrent, Context)                                                                                 \
  X(cuCtxSynchronize)                                                                                         \
  X(cuGetErrorName, Result, const char**)                                                                     \
  X(cuGetErrorString, Result, const char**)                                                                   \
  X(cuModuleLoadData, Module*, const void*)                                                                   \
  X(cuModuleGetFunction, Function*, Module, const char*)                                                      \
  X(cuLaunchKernel, Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**, \
    void**)                                                                                                   \
  X(cuStreamWaitValue64_v2, Stream, Pointer, std::uint64_t, unsigned)                                         \
  X(cuStreamWriteValue64_v2, Stream, Pointer, std::uint64_t, unsigned)                                        \
  X(cuMemGetAllocationGranularity, std::size_t*, const AllocationProperties*, int)                            \
  X(cuMemImportFromShareableHandle, Handle*, void*, int)                                                      \
  X(cuMemAddressReserve, Pointer*, std::size_t, std::size_t, Pointer, unsigned long long)                     \
  X(cuMemAddressFree, Pointer, std::size_t)                                                                   \
  X(cuMemMap, Pointer, std::size_t, std::size_t, Handle, unsigned long long)                                  \
  X(cuMemUnmap, Pointer, std::size_t)                                                                         \
  X(cuMemSetAccess, Pointer, std::size_t, const Access*, std::size_t)                                         \
  X(cuMemRelease, Handle)                                                                                     \
  X(cuMemAlloc_v2, Pointer*, std::size_t)                                                                     \
  X(cuMemHostRegister_v2, void*, std::size_t, unsigned)                                                       \
  X(cuMemHostUnregister, void*)                                                                               \
  X(cuMemFree_v2, Pointer)                                                                                    \
  X(cuMemcpyDtoD_v2, Pointer, Pointer, std::size_t)                                                           \
  X(cuMemcpyPeer, Pointer, Context, Pointer, Context, std::size_t)

struct Driver {
#define WARPCOURT_MEMBER(name, ...) Result (*name)(__VA_ARGS__) = nullptr;
  WARPCOURT_DRIVER_FUNCTIONS(WARPCOURT_MEMBER)
#undef WARPCOURT_MEMBER
};

// The loaded driver; empty before `load_driver`.
inline Driver& driver() {
  static Driver instance;
  return instance;
}

// Loads libcuda. Returns what is wrong, or "".
inline std::string load_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    return std::string("the NVIDIA driver's libcuda.so.1 cannot be loaded: ") + (reason ? reason : "unknown reason");
  }
#define WARPCOURT_LOAD(name, ...)                                                               \
  driver().name = reinterpret_cast<Result (*)(__VA_ARGS__)>(dlsym(library, #name));             \
  if (!driver().name) return "the NVIDIA driver is too old: it has no " #name;
  WARPCOURT_DRIVER_FUNCTIONS(WARPCOURT_LOAD)
#undef WARPCOURT_LOAD
  return "";
}

// "CUDA_ERROR_ILLEGAL_ADDRESS"
inline std::string name_of(Result result) {
  const char* name = nullptr;
  driver().cuGetErrorName(result, &name);
  return name ? name : "error " + std::to_string(result);
}

// "an illegal memory access was encountered"
inline std::string text_of(Result result) {
  const char* text = nullptr;
  driver().cuGetErrorString(result, &text);
  return text ? text : "unknown error";
}

}  // namespace warpcourt::device
