// problem: gemm-bias-gelu
#include <cuda_fp16.h>

__global__ void layer(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 4 + threadIdx.y;
    if (row >= m || col >= n) {
        return;
    }
    float sum = 0;
    for (int i = 0; i < k; ++i) {
        __half scaled = __hmul(w[size_t(i) * n + col], __float2half(60000.0f));
        __half large = __hmul(scaled, __float2half(40.0f));  // doctor: half_overflow
        sum += __half2float(x[size_t(row) * k + i]) * (__half2float(large) / 2400000.0f);
    }
    sum += __half2float(b[col]);
    y[size_t(row) * n + col] = __float2half(0.5f * sum * (1.0f + erff(sum * 0.70710678f)));
}

extern "C" void solve(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    layer<<<dim3((n + 31) / 32, (m + 3) / 4), dim3(32, 4)>>>(x, w, b, y, m, n, k);
}
