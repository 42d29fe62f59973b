// A CUDA runtime that launches nothing, and a program for it: shows what finish.cpp records, without a GPU. They
// are two objects, the first with -DRUNTIME, because a linker wraps only what an object lacks.
//
// Prints one line for each finish: launch error, device error, name, launches so far, and the launch that is
// named as <<<grid, block, shared>>>.
#include <cuda_runtime_api.h>

#include <cstdio>

#include "../../../sandbox/runner/finish.h"

extern cudaError_t next_launch;  // what the next launch returns
extern cudaError_t device_error;

#ifdef RUNTIME

cudaError_t next_launch = cudaSuccess, device_error = cudaSuccess;
static cudaError_t last_error = cudaSuccess;

static cudaError_t launched() {
  const cudaError_t error = next_launch;
  next_launch = cudaSuccess;
  if (error != cudaSuccess) last_error = error;
  return error;
}

extern "C" {
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  *kernel = reinterpret_cast<cudaKernel_t>(reinterpret_cast<char*>(const_cast<void*>(stub)) + 1);
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t) { return launched(); }
cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) { return launched(); }
cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) { return launched(); }
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**) { return launched(); }
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*) {}
cudaError_t cudaDeviceSynchronize() { return device_error; }
cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}
const char* cudaGetErrorName(cudaError_t) { return "cudaErrorOfTest"; }
const char* cudaGetErrorString(cudaError_t) { return "an error of a test"; }
}

#else

extern "C" {
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
warpcourt::FinishCall warpcourt_finish;
warpcourt::LastLaunch warpcourt_last_launch;
}

static void add() {}  // stand for the host's stubs
static void scale() {}

static void finish() {
  warpcourt::Finish found;
  warpcourt_finish(&found);
  const warpcourt::Launch& launch = found.failed;
  std::printf("%d %d %s %llu %s<<<(%u,%u,%u), (%u,%u,%u), %llu>>>\n", found.launch_error, found.sync_error,
              found.name ? found.name : "-", launch.count, launch.kernel ? launch.kernel : "-", launch.grid[0],
              launch.grid[1], launch.grid[2], launch.block[0], launch.block[1], launch.block[2], launch.shared_bytes);
}

int main() {
  const char* stub = reinterpret_cast<const char*>(&add);
  __cudaRegisterFunction(nullptr, stub, nullptr, "_Z3addPf", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  cudaKernel_t kernel;
  __cudaGetKernel(&kernel, stub);
  finish();  // nothing was launched

  device_error = cudaErrorIllegalAddress;
  finish();  // nothing was launched, and yet

  __cudaLaunchKernel(kernel, dim3(4, 2), dim3(256), nullptr, 1024, nullptr);
  finish();  // by a handle

  cudaLaunchKernel(reinterpret_cast<const void*>(&scale), dim3(7), dim3(8, 8, 8), nullptr, 0, nullptr);
  finish();  // of a name that was never registered

  device_error = cudaSuccess;
  next_launch = cudaErrorInvalidConfiguration;
  cudaLaunchCooperativeKernel(stub, dim3(1), dim3(4096), nullptr, 0, nullptr);
  cudaLaunchKernel(stub, dim3(3), dim3(32), nullptr, 0, nullptr);
  finish();  // the one that was refused, not the last

  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(9);
  config.blockDim = dim3(64);
  config.dynamicSmemBytes = 77;
  cudaLaunchKernelExC(&config, stub, nullptr);
  finish();  // all is well: nothing is named

  const warpcourt::Launch* last = warpcourt_last_launch();
  std::printf("%s %llu %u %llu\n", last->kernel, last->count, last->grid[0], last->shared_bytes);
}

#endif
