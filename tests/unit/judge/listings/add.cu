#include <cuda_runtime.h>
__device__ __forceinline__ float twice(float v) {
  return v + v;
}
template <int T>
__global__ void add(const float* a, const float* b, float* c, long long n) {
  __shared__ float tile[T];
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? a[i] : 0.f;
  __syncthreads();
  if (i < n) {
    c[i] = twice(tile[threadIdx.x]) + b[i];
  }
}
extern "C" void solve(const float* a, const float* b, float* c, long long n) {
  add<256><<<(n + 255) / 256, 256>>>(a, b, c, n);
}
