// A block computes 128 x 128 elements of C, a thread 8 x 8 of them in registers: 16 loads from shared memory for
// 64 multiplications. Bound by arithmetic, once enough blocks are there to fill the device.
#include <cuda_runtime.h>

constexpr int kTile = 128;  // of C, in both directions
constexpr int kDepth = 16;  // of the tiles of A and B
constexpr int kSide = 16;   // threads of a block, in both directions
constexpr int kEach = kTile / kSide;
constexpr int kThreads = kSide * kSide;

// The rows and columns of a thread are kSide apart, so that neighbours read neighbouring words.
__global__ void __launch_bounds__(kThreads)
multiply(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
    __shared__ float a_tile[kDepth][kTile + 1];  // transposed; the padding spreads its columns over the banks
    __shared__ float b_tile[kDepth][kTile];
    int first_row = blockIdx.y * kTile;
    int first_col = blockIdx.x * kTile;
    int x = threadIdx.x % kSide;
    int y = threadIdx.x / kSide;
    float sums[kEach][kEach] = {};

    for (int first = 0; first < n; first += kDepth) {
#pragma unroll
        for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
            int row = first_row + i / kDepth;
            int col = first + i % kDepth;
            a_tile[i % kDepth][i / kDepth] = row < m && col < n ? a[size_t(row) * n + col] : 0.0f;
        }
#pragma unroll
        for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
            int row = first + i / kTile;
            int col = first_col + i % kTile;
            b_tile[i / kTile][i % kTile] = row < n && col < k ? b[size_t(row) * k + col] : 0.0f;
        }
        __syncthreads();  // the tiles are complete
#pragma unroll
        for (int depth = 0; depth < kDepth; ++depth) {
            float a_part[kEach];
            float b_part[kEach];
#pragma unroll
            for (int i = 0; i < kEach; ++i) {
                a_part[i] = a_tile[depth][y + i * kSide];
                b_part[i] = b_tile[depth][x + i * kSide];
            }
#pragma unroll
            for (int i = 0; i < kEach; ++i) {
#pragma unroll
                for (int j = 0; j < kEach; ++j) {
                    sums[i][j] += a_part[i] * b_part[j];
                }
            }
        }
        __syncthreads();  // everybody has finished with them
    }

#pragma unroll
    for (int i = 0; i < kEach; ++i) {
#pragma unroll
        for (int j = 0; j < kEach; ++j) {
            int row = first_row + y + i * kSide;
            int col = first_col + x + j * kSide;
            if (row < m && col < k) {
                c[size_t(row) * k + col] = sums[i][j];
            }
        }
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    dim3 blocks((k - 1) / kTile + 1, (m - 1) / kTile + 1);
    multiply<<<blocks, kThreads>>>(a, b, c, m, n, k);
}
