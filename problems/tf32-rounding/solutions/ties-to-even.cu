// Wrong: rounds ties to the number with an even last bit. Conversions to float16 and bfloat16 do so, but cvt.rna.tf32.f32 rounds
// ties away from zero. Random numbers show the difference once in 8192 times.
#include <cuda_runtime.h>

__device__ float to_tf32(float value) {
    unsigned bits = __float_as_uint(value);
    return __uint_as_float((bits + 0xfffu + (bits >> 13 & 1u)) & 0xffffe000u);
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
