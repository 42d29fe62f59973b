// Wrong: multiplies first and rounds the product. Here the factors are rounded, and tensor cores keep the product exact until it is
// added in float32.
#include <cuda_runtime.h>

__device__ float to_tf32(float value) {
    return __uint_as_float((__float_as_uint(value) + 0x1000u) & 0xffffe000u);
}

__global__ void multiply(const float* a, const float* b, float* c, float* err, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i] = to_tf32(a[i] * b[i]);
    err[i] = fmaf(-a[i], b[i], c[i]);
}

extern "C" void solve(const float* a, const float* b, float* c, float* err, int n) {
    multiply<<<(n + 255) / 256, 256>>>(a, b, c, err, n);
}
