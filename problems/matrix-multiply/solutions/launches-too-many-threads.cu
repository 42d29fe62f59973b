// Wrong: a block of 64 x 64 is 4096 threads, and a block holds 1024 at most. The launch fails, the kernel
// never runs, and the program does not call cudaGetLastError().
#include <cuda_runtime.h>

__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m && col < k) {
        float sum = 0.0f;
        for (int i = 0; i < n; ++i) {
            sum += a[size_t(row) * n + i] * b[size_t(i) * k + col];
        }
        c[size_t(row) * k + col] = sum;
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    dim3 threads(64, 64);
    dim3 blocks((k + 63) / 64, (m + 63) / 64);
    multiply<<<blocks, threads>>>(a, b, c, m, n, k);
}
