// One thread per element of C. Neighbouring threads take neighbouring columns, so a warp reads a number of A and 32
// neighbouring numbers of B in each step.
//
// What bounds it: two loads for each multiplication. Caches serve most of them, but the load units are busy all the time.
#include <cuda_runtime.h>

__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n) return;
    float sum = 0.0f;
    for (int l = 0; l < k; ++l) {
        sum += a[size_t(row) * k + l] * b[size_t(l) * n + col];
    }
    c[size_t(row) * n + col] = sum;
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    dim3 block(32, 8);
    dim3 grid((n - 1) / block.x + 1, (m - 1) / block.y + 1);
    multiply<<<grid, block>>>(a, b, c, m, n, k);
}
