#include <cuda_runtime.h>
#include <algorithm>
#include <vector>
struct P {};
static void f() {
  std::vector<P> v;
  std::sort(v.begin(), v.end());
}
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
extern "C" void solve(const float* a, const float* b, float* c, int n) {
  f();
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
