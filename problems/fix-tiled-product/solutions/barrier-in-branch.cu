// Wrong: the barrier between two steps is in the branch of the threads inside of c. The others never reach it, and a
// barrier that not all threads of a block reach is undefined.
#include <cuda_runtime.h>

constexpr int kTile = 16;

__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float a_tile[kTile][kTile];
    __shared__ float b_tile[kTile][kTile];
    int row = blockIdx.y * kTile + threadIdx.y;
    int col = blockIdx.x * kTile + threadIdx.x;

    float sum = 0.0f;
    for (int first = 0; first < n; first += kTile) {
        if (row < m && col < k) __syncthreads();
        int a_col = first + threadIdx.x;
        int b_row = first + threadIdx.y;
        a_tile[threadIdx.y][threadIdx.x] = row < m && a_col < n ? a[size_t(row) * n + a_col] : 0.0f;
        b_tile[threadIdx.y][threadIdx.x] = b_row < n && col < k ? b[size_t(b_row) * k + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < kTile; ++i) {
            sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
        }
    }
    if (row < m && col < k) c[size_t(row) * k + col] = sum;
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    dim3 blocks((k - 1) / kTile + 1, (m - 1) / kTile + 1);
    multiply<<<blocks, dim3(kTile, kTile)>>>(a, b, c, m, n, k);
}
