// Launches by device code that are refused, and what device code learns of them.
#include <cstdio>
__global__ void one(int* out) { atomicAdd(out, 1); }
__global__ void deeper(int* out) {
  atomicAdd(out, 1);
  deeper<<<1, 1>>>(out);
}
__global__ void on_and_on(int* out, int left) {
  atomicAdd(out, 1);
  if (left) on_and_on<<<1, 1, 0, cudaStreamTailLaunch>>>(out, left - 1);
}
__global__ void keeps_count(int* out) {
  atomicAdd(out, 1);
  keeps_count<<<1, 1>>>(out);
  if (cudaPeekAtLastError() == cudaErrorLaunchMaxDepthExceeded) {
    cudaError_t error = cudaGetLastError();
    printf("%s, then %d\n", cudaGetErrorName(error), int(cudaGetLastError()));
  }
}
__global__ void many(int* out, int count) {
  for (int i = 0; i < count; ++i) one<<<1, 1>>>(out);  // the loop
}
__global__ void too_wide(int* out) { one<<<1, 2048>>>(out); }
__global__ void unknown_stream(int* out) { one<<<1, 1, 0, cudaStream_t(size_t(12345))>>>(out); }
__global__ void reads_shared(const int* values, int* out) { *out = *values; }
__global__ void passes_shared(int* out) {
  __shared__ int values[4];
  values[0] = 1;
  reads_shared<<<1, 1>>>(values, out);
}
__global__ void passes_local(int* out) {
  int value = 1;
  reads_shared<<<1, 1>>>(&value, out);
}
__global__ void allocates(int* out) {
  int* memory;
  cudaMalloc(&memory, sizeof(int));
  *memory = 0;
  one<<<1, 1>>>(memory);
  one<<<1, 1, 0, cudaStreamTailLaunch>>>(out);
}

extern "C" void solve(int* out, int program, int count) {
  cudaMemset(out, 0, sizeof(int));
  if (program == 0) deeper<<<1, 1>>>(out);
  if (program == 1) on_and_on<<<1, 1>>>(out, count);
  if (program == 2) keeps_count<<<1, 1>>>(out);
  if (program == 3) many<<<1, 1>>>(out, count);
  if (program == 4) too_wide<<<1, 1>>>(out);
  if (program == 5) unknown_stream<<<1, 1>>>(out);
  if (program == 6) passes_shared<<<1, 1>>>(out);
  if (program == 7) passes_local<<<1, 1>>>(out);
  if (program == 8) allocates<<<1, 1>>>(out);
  if (program == 9) {
    cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096);
    many<<<1, 1>>>(out, count);
  }
}
