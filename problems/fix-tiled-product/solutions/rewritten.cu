// Wrong here: the product is right, but this is another kernel. The problem asks for a correction of the given one.
#include <cuda_runtime.h>

constexpr int kTile = 16;

__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
    int row = blockIdx.y * kTile + threadIdx.y;
    int col = blockIdx.x * kTile + threadIdx.x;
    float sum = 0.0f;
    if (row < m && col < k) {
        for (int l = 0; l < n; ++l) {
            sum += a[size_t(row) * n + l] * b[size_t(l) * k + col];
        }
        c[size_t(row) * k + col] = sum;
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    dim3 blocks((k - 1) / kTile + 1, (m - 1) / kTile + 1);
    multiply<<<blocks, dim3(kTile, kTile)>>>(a, b, c, m, n, k);
}
