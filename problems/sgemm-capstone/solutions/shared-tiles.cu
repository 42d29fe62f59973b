// A block of 32 x 8 threads computes 32 x 32 elements of C from tiles in shared memory. A thread owns four elements of a
// column, so a number of B that it has loaded serves four multiplications.
//
// What bounds it: shared memory. Five loads for four multiplications are too many, though fewer than two for each.
#include <cuda_runtime.h>

constexpr int kTile = 32;
constexpr int kHigh = 8;             // threads of a block, from top to bottom
constexpr int kOwn = kTile / kHigh;  // elements of C per thread

__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float a_tile[kTile][kTile];
    __shared__ float b_tile[kTile][kTile];
    int x = threadIdx.x, y = threadIdx.y;
    int first_row = blockIdx.y * kTile, col = blockIdx.x * kTile + x;
    float sums[kOwn] = {};
    for (int first = 0; first < k; first += kTile) {
#pragma unroll
        for (int i = 0; i < kOwn; ++i) {
            int high = y + i * kHigh;
            int row = first_row + high, depth = first + high;
            a_tile[high][x] = row < m && first + x < k ? a[size_t(row) * k + first + x] : 0.0f;
            b_tile[high][x] = depth < k && col < n ? b[size_t(depth) * n + col] : 0.0f;
        }
        __syncthreads();  // the tiles are complete
#pragma unroll
        for (int l = 0; l < kTile; ++l) {
            float right = b_tile[l][x];
#pragma unroll
            for (int i = 0; i < kOwn; ++i) {
                sums[i] += a_tile[y + i * kHigh][l] * right;
            }
        }
        __syncthreads();  // all threads have finished with them
    }
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
        int row = first_row + y + i * kHigh;
        if (row < m && col < n) {
            c[size_t(row) * n + col] = sums[i];
        }
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    dim3 blocks((n - 1) / kTile + 1, (m - 1) / kTile + 1);
    multiply<<<blocks, dim3(kTile, kHigh)>>>(a, b, c, m, n, k);
}
