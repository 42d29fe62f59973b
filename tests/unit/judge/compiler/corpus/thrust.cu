#include <cuda_runtime.h>
#include <thrust/sort.h>
#include <thrust/device_vector.h>
struct P { int x; };
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
extern "C" void solve(const float* a, const float* b, float* c, int n) {
  thrust::device_vector<P> v(3);
  thrust::sort(v.begin(), v.end());
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
