#include <cuda_runtime.h>
__global__ void sum(const float* a, const float* b, float* c, int n) {
  __shared__ float part[256];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  if (i < n) {
    part[t] = a[i] + b[i];
  } else {
    part[t] = 0;
  }
  // Waits for the other threads, or so the author hopes.
  cudaDeviceSynchronize();
  if (i < n) c[i] = part[t];
}
extern "C" void solve(const float* a, const float* b, float* c, int n) {
  sum<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
