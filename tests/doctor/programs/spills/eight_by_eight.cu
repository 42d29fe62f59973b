// problem: matrix-multiply
#include <cuda_runtime.h>

// A thread computes eight rows of eight columns, 16 apart.
__global__ void __launch_bounds__(64, 32) multiply(const float* a, const float* b, float* c, int m, int n, int k) {  // doctor: spills
    int col = blockIdx.x * 128 + threadIdx.x % 16, row = (blockIdx.y * 4 + threadIdx.x / 16) * 8;
    float sums[8][8] = {};
    for (int j = 0; j < n; ++j) {
        float left[8], right[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            left[i] = row + i < m ? a[size_t(row + i) * n + j] : 0.0f;
            right[i] = col + 16 * i < k ? b[size_t(j) * k + col + 16 * i] : 0.0f;
        }
#pragma unroll
        for (int i = 0; i < 64; ++i) {
            sums[i / 8][i % 8] += left[i / 8] * right[i % 8];
        }
    }
#pragma unroll
    for (int i = 0; i < 64; ++i) {
        if (row + i / 8 < m && col + i % 8 * 16 < k) {
            c[size_t(row + i / 8) * k + col + i % 8 * 16] = sums[i / 8][i % 8];
        }
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    multiply<<<dim3((k + 127) / 128, (m + 31) / 32), 64>>>(a, b, c, m, n, k);
}
