// Wrong: the mantissa is cut out, rounded and put back, and a carry is masked away. A number just below a power of 2 then becomes
// half of it. The carry belongs to the exponent: round all 32 bits at once.
#include <cuda_runtime.h>

__device__ float to_tf32(float value) {
    unsigned bits = __float_as_uint(value);
    unsigned mantissa = ((bits & 0x7fffffu) + 0x1000u) & 0x7fe000u;
    return __uint_as_float((bits & 0xff800000u) | mantissa);
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
