// Right, but slow: a thread has eight elements of one column. In each step, one number of B serves eight
// multiplications, but each of the eight numbers of A serves one: 9 loads for 8 multiplications. Only a tile with two
// sides uses the numbers of both matrices several times.
#include <cuda_runtime.h>

constexpr int kTile = 64;    // of C, in both directions
constexpr int kDepth = 16;   // of the tiles of A and B
constexpr int kThreads = 512;
constexpr int kSide = 64;    // threads across a block; each has 8 elements of a column of C

__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k, float alpha, float beta) {
    __shared__ float a_tile[kTile][kDepth + 1];
    __shared__ float b_tile[kDepth][kTile];
    int first_row = blockIdx.y * kTile, first_col = blockIdx.x * kTile;
    int x = threadIdx.x % kSide, y = threadIdx.x / kSide;
    float sums[8] = {};

    for (int first = 0; first < k; first += kDepth) {
        for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {  // zeros beyond the edges add nothing
            int a_row = first_row + i / kDepth, a_col = first + i % kDepth;
            int b_row = first + i / kTile, b_col = first_col + i % kTile;
            a_tile[i / kDepth][i % kDepth] = a_row < m && a_col < k ? a[size_t(a_row) * k + a_col] : 0.0f;
            b_tile[i / kTile][i % kTile] = b_row < k && b_col < n ? b[size_t(b_row) * n + b_col] : 0.0f;
        }
        __syncthreads();  // the tiles are complete
        for (int l = 0; l < kDepth; ++l) {
            float a_part[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                a_part[i] = a_tile[y + 8 * i][l];
            }
            float b_part = b_tile[l][x];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                sums[i] += a_part[i] * b_part;
            }
        }
        __syncthreads();  // all threads have finished with them
    }

#pragma unroll
    for (int i = 0; i < 8; ++i) {
        int row = first_row + y + 8 * i, col = first_col + x;
        if (row < m && col < n) {
            size_t at = size_t(row) * n + col;
            c[at] = alpha * sums[i] + beta * c[at];
        }
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k, float alpha, float beta) {
    dim3 blocks((n - 1) / kTile + 1, (m - 1) / kTile + 1);
    multiply<<<blocks, kThreads>>>(a, b, c, m, n, k, alpha, beta);
}
