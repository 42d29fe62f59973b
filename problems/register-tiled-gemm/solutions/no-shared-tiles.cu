// Right, but slow: tiles in registers, without tiles in shared memory. Each thread loads its numbers of A and B from
// global memory. All warps of a block load the same rows and columns again, and the 8 x 4 threads of a warp use four
// bytes of each sector of A.
#include <cuda_runtime.h>

constexpr int kTile = 64;    // of C, in both directions
constexpr int kThreads = 64;
constexpr int kSide = 8;     // threads of a block, in both directions; each has 8 x 8 elements of C

__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k, float alpha, float beta) {
    int first_row = blockIdx.y * kTile, first_col = blockIdx.x * kTile;
    int x = threadIdx.x % kSide, y = threadIdx.x / kSide;
    float sums[8][8] = {};

    for (int l = 0; l < k; ++l) {
        float a_part[8], b_part[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            int row = first_row + y + kSide * i, col = first_col + x + kSide * i;
            a_part[i] = row < m ? a[size_t(row) * k + l] : 0.0f;
            b_part[i] = col < n ? b[size_t(l) * n + col] : 0.0f;
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) {
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                sums[i][j] += a_part[i] * b_part[j];
            }
        }
    }

#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            int row = first_row + y + kSide * i, col = first_col + x + kSide * j;
            if (row < m && col < n) {
                size_t at = size_t(row) * n + col;
                c[at] = alpha * sums[i][j] + beta * c[at];
            }
        }
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k, float alpha, float beta) {
    dim3 blocks((n - 1) / kTile + 1, (m - 1) / kTile + 1);
    multiply<<<blocks, kThreads>>>(a, b, c, m, n, k, alpha, beta);
}
