#include <cuda_runtime.h>
template <int N> __global__ void k(float* c) { static_assert(N % 32 == 0, "N must be a multiple of 32"); }
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
extern "C" void solve(const float* a, const float* b, float* c, int n) {
  k<31><<<1, 1>>>(c);
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
