// problem: gemm-bias-gelu
#include <cuda_fp16.h>

constexpr int kEach = 6;

__device__ float gelu(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678f)); }

__global__ void __launch_bounds__(256, 8)
layer(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {  // doctor: spills
    int row = (blockIdx.y * 8 + threadIdx.x / 32) * kEach, col = blockIdx.x * 32 * kEach + threadIdx.x % 32;
    float sums[kEach][kEach] = {};
    for (int j = 0; j < k; ++j) {
        float left[kEach], right[kEach];
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            left[i] = row + i < m ? __half2float(x[size_t(row + i) * k + j]) : 0.0f;
            right[i] = col + 32 * i < n ? __half2float(w[size_t(j) * n + col + 32 * i]) : 0.0f;
        }
#pragma unroll
        for (int i = 0; i < kEach * kEach; ++i) {
            sums[i / kEach][i % kEach] += left[i / kEach] * right[i % kEach];
        }
    }
#pragma unroll
    for (int i = 0; i < kEach * kEach; ++i) {
        int r = row + i / kEach, s = col + i % kEach * 32;
        if (r < m && s < n) {
            y[size_t(r) * n + s] = __float2half(gelu(sums[i / kEach][i % kEach] + __half2float(b[s])));
        }
    }
}

extern "C" void solve(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    dim3 blocks((n - 1) / (32 * kEach) + 1, (m - 1) / (8 * kEach) + 1);
    layer<<<blocks, 256>>>(x, w, b, y, m, n, k);
}
