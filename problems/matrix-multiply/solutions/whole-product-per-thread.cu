// Too slow: the three loops of a CPU program, pasted into a kernel and launched with one thread per element.
// The loops still run over all elements, so every thread computes the whole product.
#include <cuda_runtime.h>

__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
    for (int row = 0; row < m; ++row) {
        for (int col = 0; col < k; ++col) {
            float sum = 0.0f;
            for (int i = 0; i < n; ++i) {
                sum += a[size_t(row) * n + i] * b[size_t(i) * k + col];
            }
            c[size_t(row) * k + col] = sum;
        }
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    dim3 threads(16, 16);
    dim3 blocks((k + 15) / 16, (m + 15) / 16);
    multiply<<<blocks, threads>>>(a, b, c, m, n, k);
}
