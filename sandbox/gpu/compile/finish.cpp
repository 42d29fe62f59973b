// Linked into every artifact for GPUs: records launches, and says after a call what went wrong on the device.
//
// Theory of operation. The linker sends every launch of the artifact through the functions here (--wrap), which
// store what was asked for and go on to the runtime: a few stores per launch, no lock, no allocation. What a
// launch names is an address of the host's stub or a kernel handle; registration, which also comes through
// here when the artifact is loaded, says which name belongs to it. Names are looked up only when asked for.
//
// Several host threads may launch at once, and the watchdog reads while another thread launches. A record may
// then mix two launches; it only words a message.
#include "../../runner/finish.h"

#include <cuda_runtime_api.h>

#include <cstddef>

namespace {

constexpr unsigned kMaxKernels = 512;  // more are launched just the same, but not named

struct Name {
  const void* key;  // the host's stub, or a handle
  const char* mangled;
};

struct Record {
  const void* key;
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes;
};

Name names[kMaxKernels];
unsigned named;
Record last;
Record refused;
bool any_refused;
unsigned long long launches;

void name(const void* key, const char* mangled) {
  const unsigned index = __atomic_fetch_add(&named, 1, __ATOMIC_RELAXED);
  if (index < kMaxKernels) names[index] = {key, mangled};
}

const char* name_of(const void* key) {
  const unsigned count = named < kMaxKernels ? named : kMaxKernels;
  for (unsigned i = 0; i < count; ++i) {
    if (names[i].key == key) return names[i].mangled;
  }
  return nullptr;
}

// Keep in mind what is launched, launch it, and keep in mind if it was refused.
template <class Run>
cudaError_t launch(const Record& record, Run run) {
  last = record;
  ++launches;
  const cudaError_t error = run();
  if (error != cudaSuccess && !any_refused) {
    refused = record;
    any_refused = true;
  }
  return error;
}

warpcourt::Launch described(const Record& record) {
  const dim3 &grid = record.grid, &block = record.block;
  return {launches,
          launches ? name_of(record.key) : nullptr,
          {grid.x, grid.y, grid.z},
          {block.x, block.y, block.z},
          record.shared_bytes};
}

}  // namespace

extern "C" {

// What <<<...>>> becomes, with a handle that __cudaGetKernel gave.
__attribute__((weak))  // CUDA 12 has no such function
cudaError_t __real___cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                      cudaStream_t stream) {
  return launch({kernel, grid, block, shared},
                [&] { return __real___cudaLaunchKernel(kernel, grid, block, arguments, shared, stream); });
}

__attribute__((weak))
cudaError_t __real___cudaGetKernel(cudaKernel_t*, const void*);
cudaError_t __wrap___cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  const cudaError_t error = __real___cudaGetKernel(kernel, stub);
  if (error == cudaSuccess) {
    if (const char* mangled = name_of(stub)) name(*kernel, mangled);
  }
  return error;
}

void __real___cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
void __wrap___cudaRegisterFunction(void** handle, const char* stub, char* device, const char* mangled, int limit,
                                   uint3* thread, uint3* block, dim3* block_size, dim3* grid_size, int* warp_size) {
  name(stub, mangled);
  __real___cudaRegisterFunction(handle, stub, device, mangled, limit, thread, block, block_size, grid_size, warp_size);
}

cudaError_t __real_cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t __wrap_cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                    cudaStream_t stream) {
  return launch({kernel, grid, block, shared},
                [&] { return __real_cudaLaunchKernel(kernel, grid, block, arguments, shared, stream); });
}

cudaError_t __real_cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t __wrap_cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                               size_t shared, cudaStream_t stream) {
  return launch({kernel, grid, block, shared},
                [&] { return __real_cudaLaunchCooperativeKernel(kernel, grid, block, arguments, shared, stream); });
}

cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**);
cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
  if (!config) return __real_cudaLaunchKernelExC(config, kernel, arguments);
  return launch({kernel, config->gridDim, config->blockDim, config->dynamicSmemBytes},
                [&] { return __real_cudaLaunchKernelExC(config, kernel, arguments); });
}

__attribute__((visibility("default"))) void warpcourt_finish(warpcourt::Finish* finish) {
  const cudaError_t unchecked = cudaGetLastError();
  const cudaError_t device = cudaDeviceSynchronize();
  const cudaError_t error = device != cudaSuccess ? device : unchecked;
  *finish = {};
  finish->launch_error = unchecked;
  finish->sync_error = device;
  if (error != cudaSuccess) {
    finish->name = cudaGetErrorName(error);
    finish->text = cudaGetErrorString(error);
    finish->failed = described(device == cudaSuccess && any_refused ? refused : last);
  }
  any_refused = false;
}

__attribute__((visibility("default"))) const warpcourt::Launch* warpcourt_last_launch() {
  static warpcourt::Launch launch;
  launch = described(last);
  return &launch;
}

}  // extern "C"
