// Four elements per thread in one load of 16 bytes. The error comes from the parts that rounding cut off: with a = ah + al
// and b = bh + bl, the difference of ah * bh and a * b is -(ah * bl + al * b), and no large numbers cancel.
//
// What bounds it: memory. Fewer and wider loads keep more bytes in flight for each instruction.
#include <cuda_runtime.h>

__device__ float to_tf32(float value) {
    return __uint_as_float((__float_as_uint(value) + 0x1000u) & 0xffffe000u);
}

__device__ void multiply_one(float a, float b, float& c, float& err) {
    float high_a = to_tf32(a), high_b = to_tf32(b);
    c = high_a * high_b;
    err = -(high_a * (b - high_b) + (a - high_a) * b);
}

__global__ void multiply(const float* a, const float* b, float* c, float* err, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 x = reinterpret_cast<const float4*>(a)[i];
        float4 y = reinterpret_cast<const float4*>(b)[i];
        float4 product, error;
        multiply_one(x.x, y.x, product.x, error.x);
        multiply_one(x.y, y.y, product.y, error.y);
        multiply_one(x.z, y.z, product.z, error.z);
        multiply_one(x.w, y.w, product.w, error.w);
        reinterpret_cast<float4*>(c)[i] = product;
        reinterpret_cast<float4*>(err)[i] = error;
    }
    int tail = n / 4 * 4 + i;
    if (tail < n) multiply_one(a[tail], b[tail], c[tail], err[tail]);
}

extern "C" void solve(const float* a, const float* b, float* c, float* err, int n) {
    multiply<<<(n / 4 + 256) / 256, 256>>>(a, b, c, err, n);
}
