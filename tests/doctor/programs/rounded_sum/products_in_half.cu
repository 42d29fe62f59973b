// problem: gemm-bias-gelu
#include <cuda_fp16.h>

__global__ void layer(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 4 + threadIdx.y;
    if (row >= m || col >= n) {
        return;
    }
    __half sum = b[col];
    for (int i = 0; i < k; ++i) {
        sum = __hfma(x[size_t(row) * k + i], w[size_t(i) * n + col], sum);  // doctor: rounded_sum
    }
    float v = __half2float(sum);
    y[size_t(row) * n + col] = __float2half(0.5f * v * (1.0f + erff(v * 0.70710678f)));
}

extern "C" void solve(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    layer<<<dim3((n + 31) / 32, (m + 3) / 4), dim3(32, 4)>>>(x, w, b, y, m, n, k);
}
