// Multiplies without tensor cores. Use fragments of nvcuda::wmma from <mma.h>.
#include <cuda_fp16.h>

constexpr int kTile = 16;

__global__ void multiply(const __half* a, const __half* b, float* c, int m, int n, int k) {
    int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
    if (row >= m || col >= n) return;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) sum += __half2float(a[size_t(row) * k + i]) * __half2float(b[size_t(i) * n + col]);
    c[size_t(row) * n + col] = sum;
}

extern "C" void solve(const __half* a, const __half* b, float* c, int m, int n, int k) {
    dim3 blocks((n - 1) / kTile + 1, (m - 1) / kTile + 1);
    multiply<<<blocks, dim3(kTile, kTile)>>>(a, b, c, m, n, k);
}
