// Wrong: all 8 x 8 elements of each thread are written. At the right edge they are the next row, and at the bottom they lie
// past the matrix.
#include <cuda_runtime.h>

constexpr int kTile = 64;    // of C, in both directions
constexpr int kDepth = 16;   // of the tiles of A and B
constexpr int kThreads = 64;
constexpr int kSide = 8;     // threads of a block, in both directions; each has 8 x 8 elements of C

__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k, float alpha, float beta) {
    __shared__ float a_tile[kTile][kDepth + 1];
    __shared__ float b_tile[kDepth][kTile];
    int first_row = blockIdx.y * kTile, first_col = blockIdx.x * kTile;
    int x = threadIdx.x % kSide, y = threadIdx.x / kSide;
    float sums[8][8] = {};

    for (int first = 0; first < k; first += kDepth) {
        for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {  // zeros beyond the edges add nothing
            int a_row = first_row + i / kDepth, a_col = first + i % kDepth;
            int b_row = first + i / kTile, b_col = first_col + i % kTile;
            a_tile[i / kDepth][i % kDepth] = a_row < m && a_col < k ? a[size_t(a_row) * k + a_col] : 0.0f;
            b_tile[i / kTile][i % kTile] = b_row < k && b_col < n ? b[size_t(b_row) * n + b_col] : 0.0f;
        }
        __syncthreads();  // the tiles are complete
        for (int l = 0; l < kDepth; ++l) {
            float a_part[8], b_part[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                a_part[i] = a_tile[y + kSide * i][l];
                b_part[i] = b_tile[l][x + kSide * i];
            }
#pragma unroll
            for (int i = 0; i < 8; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    sums[i][j] += a_part[i] * b_part[j];
                }
            }
        }
        __syncthreads();  // all threads have finished with them
    }

#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            int row = first_row + y + kSide * i, col = first_col + x + kSide * j;
            size_t at = size_t(row) * n + col;
            c[at] = alpha * sums[i][j] + beta * c[at];
        }
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k, float alpha, float beta) {
    dim3 blocks((n - 1) / kTile + 1, (m - 1) / kTile + 1);
    multiply<<<blocks, kThreads>>>(a, b, c, m, n, k, alpha, beta);
}
