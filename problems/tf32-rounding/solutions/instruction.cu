// The instruction that rounds to TF32, and the error in double precision, where the product of two floats is exact.
//
// What bounds it: memory on GPUs for data centres. On GPUs with 1/64 as many double units, the conversions and the double
// multiply-add of each element take longer than its 16 bytes.
#include <cuda_runtime.h>

__device__ float to_tf32(float value) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return __uint_as_float(bits);
}

__global__ void multiply(const float* a, const float* b, float* c, float* err, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float product = to_tf32(a[i]) * to_tf32(b[i]);
    c[i] = product;
    err[i] = static_cast<float>(product - static_cast<double>(a[i]) * b[i]);
}

extern "C" void solve(const float* a, const float* b, float* c, float* err, int n) {
    multiply<<<(n + 255) / 256, 256>>>(a, b, c, err, n);
}
