// Wrong: a * b is rounded to 24 bits before the subtraction, which cancels the leading 10 of them. Each error is off by
// up to one part in 4000. With a plain `a[i] * b[i]`, the compiler may fuse product and subtraction, and hide the mistake.
// Where a program uses the product twice, it does not.
#include <cuda_runtime.h>

__device__ float to_tf32(float value) {
    return __uint_as_float((__float_as_uint(value) + 0x1000u) & 0xffffe000u);
}

__global__ void multiply(const float* a, const float* b, float* c, float* err, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float exact = __fmul_rn(a[i], b[i]);
    c[i] = to_tf32(a[i]) * to_tf32(b[i]);
    err[i] = c[i] - exact;
}

extern "C" void solve(const float* a, const float* b, float* c, float* err, int n) {
    multiply<<<(n + 255) / 256, 256>>>(a, b, c, err, n);
}
