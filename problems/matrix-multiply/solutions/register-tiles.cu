// A block computes 128 x 128 elements of C, a thread 8 x 8 of them in registers: four 16-byte loads from shared
// memory for 64 multiplications. The next tiles travel from global memory while these are multiplied.
// Bound by arithmetic, once enough blocks are there to fill the device.
#include <cuda_runtime.h>

constexpr int kTile = 128;  // of C, in both directions
constexpr int kDepth = 8;   // of the tiles of A and B
constexpr int kSide = 16;   // threads of a block, in both directions
constexpr int kThreads = kSide * kSide;
constexpr int kPitch = kTile + 4;  // spreads the transposed stores over the banks and keeps rows aligned to 16 bytes
constexpr int kLoads = kTile * kDepth / kThreads;  // elements of each tile that a thread brings

// A thread owns two groups of four neighbouring rows, 64 apart, and likewise columns.
__device__ int owned(int thread, int i) { return i / 4 * (kTile / 2) + thread * 4 + i % 4; }

__device__ void load_eight(float (&part)[8], const float* line, int thread) {
    float4 low = *reinterpret_cast<const float4*>(line + thread * 4);
    float4 high = *reinterpret_cast<const float4*>(line + kTile / 2 + thread * 4);
    part[0] = low.x, part[1] = low.y, part[2] = low.z, part[3] = low.w;
    part[4] = high.x, part[5] = high.y, part[6] = high.z, part[7] = high.w;
}

__global__ void __launch_bounds__(kThreads, 2)
multiply(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
    __shared__ __align__(16) float a_tile[kDepth][kPitch];  // transposed
    __shared__ __align__(16) float b_tile[kDepth][kPitch];
    int first_row = blockIdx.y * kTile;
    int first_col = blockIdx.x * kTile;
    int x = threadIdx.x % kSide;
    int y = threadIdx.x / kSide;
    float sums[8][8] = {};
    float a_next[kLoads];
    float b_next[kLoads];

    auto fetch = [&](int first) {  // zeros beyond the edges add nothing
#pragma unroll
        for (int l = 0; l < kLoads; ++l) {
            int i = threadIdx.x + l * kThreads;
            int a_row = first_row + i / kDepth, a_col = first + i % kDepth;
            int b_row = first + i / kTile, b_col = first_col + i % kTile;
            a_next[l] = a_row < m && a_col < n ? a[size_t(a_row) * n + a_col] : 0.0f;
            b_next[l] = b_row < n && b_col < k ? b[size_t(b_row) * k + b_col] : 0.0f;
        }
    };
    fetch(0);
    for (int first = 0; first < n; first += kDepth) {
#pragma unroll
        for (int l = 0; l < kLoads; ++l) {
            int i = threadIdx.x + l * kThreads;
            a_tile[i % kDepth][i / kDepth] = a_next[l];
            b_tile[i / kTile][i % kTile] = b_next[l];
        }
        __syncthreads();  // the tiles are complete
        if (first + kDepth < n) {
            fetch(first + kDepth);
        }
#pragma unroll
        for (int depth = 0; depth < kDepth; ++depth) {
            float a_part[8];
            float b_part[8];
            load_eight(a_part, a_tile[depth], y);
            load_eight(b_part, b_tile[depth], x);
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
            int row = first_row + owned(y, i);
            int col = first_col + owned(x, j);
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
