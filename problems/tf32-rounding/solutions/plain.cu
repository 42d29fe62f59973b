// Rounds with an addition and a mask, and computes the error with a fused multiply-add, which rounds once.
//
// What bounds it: memory, 16 bytes per element. About eight operations per element take less time than that.
#include <cuda_runtime.h>

__device__ float to_tf32(float value) {
    return __uint_as_float((__float_as_uint(value) + 0x1000u) & 0xffffe000u);
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
