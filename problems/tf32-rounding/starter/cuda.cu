#include <cuda_runtime.h>

// c[i] is the product of a[i] and b[i] in TF32, and err[i] is how far it is from the exact product.
// The launch is complete. Write the rounding and the kernel.

__device__ float to_tf32(float value) {
    // 1. Take the bits of value with __float_as_uint. Round them to a multiple of 2^13, ties away from zero.
    return value;
}

__global__ void multiply(const float* a, const float* b, float* c, float* err, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i] = to_tf32(a[i]) * to_tf32(b[i]);
    // 2. Write c[i] - a[i] * b[i] to err[i], without rounding the product first.
}

extern "C" void solve(const float* a, const float* b, float* c, float* err, int n) {
    int threads = 256;
    int blocks = (n + threads - 1) / threads;
    multiply<<<blocks, threads>>>(a, b, c, err, n);
}
