// Wrong: float16 has a mantissa of 10 bits too, but its conversion rounds ties to even. It also has fewer bits for the exponent, so
// numbers beyond 65504 become infinite, and small ones lose bits.
#include <cuda_runtime.h>
#include <cuda_fp16.h>

__device__ float to_tf32(float value) {
    return __half2float(__float2half(value));
}

__global__ void multiply(const float* a, const float* b, float* c, float* err, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i] = to_tf32(a[i]) * to_tf32(b[i]);
    err[i] = fmaf(-a[i], b[i], c[i]);
}

extern "C" void solve(const float* a, const float* b, float* c, float* err, int n) {
    multiply<<<(n + 255) / 256, 256>>>(a, b, c, err, n);
}
