// Wrong: stores all 64 x 64 elements of a tile, although C ends within the last tiles. To the right of C, these stores
// overwrite the beginning of the next row. Below it, they are outside of the array.
#include <cuda_runtime.h>

constexpr int kTile = 64, kDepth = 16;
constexpr int kSide = 16;  // threads of a block, in both directions; each has 4 x 4 elements of C
constexpr int kThreads = kSide * kSide;

__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float a_tile[kTile][kDepth + 1];
    __shared__ float b_tile[kDepth][kTile];
    int top = blockIdx.y * kTile, left = blockIdx.x * kTile;
    int x = threadIdx.x % kSide, y = threadIdx.x / kSide;
    float sums[4][4] = {};
    for (int first = 0; first < k; first += kDepth) {
        for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
            int a_row = top + i / kDepth, a_col = first + i % kDepth;
            int b_row = first + i / kTile, b_col = left + i % kTile;
            a_tile[i / kDepth][i % kDepth] = a_row < m && a_col < k ? a[size_t(a_row) * k + a_col] : 0.0f;
            b_tile[i / kTile][i % kTile] = b_row < k && b_col < n ? b[size_t(b_row) * n + b_col] : 0.0f;
        }
        __syncthreads();  // the tiles are complete
#pragma unroll
        for (int l = 0; l < kDepth; ++l) {
            float a_part[4], b_part[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                a_part[i] = a_tile[y + kSide * i][l];
                b_part[i] = b_tile[l][x + kSide * i];
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    sums[i][j] += a_part[i] * b_part[j];
                }
            }
        }
        __syncthreads();  // all threads have finished with them
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            int row = top + y + kSide * i, col = left + x + kSide * j;
            c[size_t(row) * n + col] = sums[i][j];
        }
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    dim3 blocks((n - 1) / kTile + 1, (m - 1) / kTile + 1);
    multiply<<<blocks, kThreads>>>(a, b, c, m, n, k);
}
