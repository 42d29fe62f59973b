// Half and bfloat16 arithmetic, packed and single.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void fused(const float* a, const float* b, float* halves, float* brains, int n) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 1 >= n) return;
  __half2 x = __floats2half2_rn(a[i], a[i + 1]), y = __floats2half2_rn(b[i], b[i + 1]);
  float2 r = __half22float2(__hfma2(x, y, __hadd2(x, y)));
  halves[i] = r.x;
  halves[i + 1] = __half2float(__hfma(__float2half(a[i + 1]), __float2half(b[i + 1]),
                                      __hadd(__float2half(a[i + 1]), __float2half(b[i + 1]))));
  for (int j = i; j < i + 2; ++j)
    brains[j] = __bfloat162float(__hmul(__float2bfloat16(a[j]), __float2bfloat16(b[j])));
}

extern "C" void solve(const float* a, const float* b, float* halves, float* brains, int n) {
  fused<<<(n / 2 + 63) / 64, 64>>>(a, b, halves, brains, n);
}
