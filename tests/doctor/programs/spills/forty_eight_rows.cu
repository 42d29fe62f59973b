// problem: matrix-multiply
#include <cuda_runtime.h>

constexpr int kRows = 48;

// A thread computes a part of a column.
__global__ void __launch_bounds__(128, 16) multiply(const float* a, const float* b, float* c, int m, int n, int k) {  // doctor: spills
    int first = blockIdx.y * kRows, col = blockIdx.x * 128 + threadIdx.x;
    float sums[kRows] = {};
    for (int j = 0; j < n; ++j) {
        float right = col < k ? b[size_t(j) * k + col] : 0.0f;
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
            sums[i] += first + i < m ? a[size_t(first + i) * n + j] * right : 0.0f;
        }
    }
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        if (first + i < m && col < k) {
            c[size_t(first + i) * k + col] = sums[i];
        }
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    multiply<<<dim3((k - 1) / 128 + 1, (m - 1) / kRows + 1), 128>>>(a, b, c, m, n, k);
}
