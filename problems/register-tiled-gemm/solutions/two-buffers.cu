// 128 x 128 elements of C per block, 8 x 8 per thread, in two groups of four rows and columns. Four float4 loads serve
// 64 multiplications. While a block multiplies one pair of tiles, its threads fetch the next one into registers and
// store it to a second pair, so one barrier per step is enough.
//
// What bounds it: float32 arithmetic, if there are enough blocks for all multiprocessors.
#include <cuda_runtime.h>

constexpr int kTile = 128;  // of C, in both directions
constexpr int kDepth = 8;   // of the tiles of A and B
constexpr int kSide = 16;   // threads of a block, in both directions
constexpr int kThreads = kSide * kSide;
constexpr int kPitch = kTile + 4;
constexpr int kLoads = kTile * kDepth / kThreads;  // elements of each tile that a thread brings

__device__ void load_eight(float (&part)[8], const float* line, int thread) {
    float4 low = *reinterpret_cast<const float4*>(line + thread * 4);
    float4 high = *reinterpret_cast<const float4*>(line + kTile / 2 + thread * 4);
    part[0] = low.x, part[1] = low.y, part[2] = low.z, part[3] = low.w;
    part[4] = high.x, part[5] = high.y, part[6] = high.z, part[7] = high.w;
}

__global__ void __launch_bounds__(kThreads, 2)
multiply(const float* a, const float* b, float* c, int m, int n, int k, float alpha, float beta) {
    __shared__ __align__(16) float a_tiles[2][kDepth][kPitch];  // transposed
    __shared__ __align__(16) float b_tiles[2][kDepth][kPitch];
    int first_row = blockIdx.y * kTile, first_col = blockIdx.x * kTile;
    int x = threadIdx.x % kSide, y = threadIdx.x / kSide;
    float sums[8][8] = {};
    float a_next[kLoads], b_next[kLoads];

    auto fetch = [&](int first) {
#pragma unroll
        for (int l = 0; l < kLoads; ++l) {
            int i = threadIdx.x + l * kThreads;
            int a_row = first_row + i / kDepth, a_col = first + i % kDepth;
            int b_row = first + i / kTile, b_col = first_col + i % kTile;
            a_next[l] = a_row < m && a_col < k ? a[size_t(a_row) * k + a_col] : 0.0f;
            b_next[l] = b_row < k && b_col < n ? b[size_t(b_row) * n + b_col] : 0.0f;
        }
    };
    auto keep = [&](int half) {
#pragma unroll
        for (int l = 0; l < kLoads; ++l) {
            int i = threadIdx.x + l * kThreads;
            a_tiles[half][i % kDepth][i / kDepth] = a_next[l];
            b_tiles[half][i / kTile][i % kTile] = b_next[l];
        }
    };
    fetch(0);
    keep(0);
    __syncthreads();
    int half = 0;
    for (int first = 0; first < k; first += kDepth) {
        bool more = first + kDepth < k;
        if (more) {
            fetch(first + kDepth);
        }
#pragma unroll
        for (int l = 0; l < kDepth; ++l) {
            float a_part[8], b_part[8];
            load_eight(a_part, a_tiles[half][l], y);
            load_eight(b_part, b_tiles[half][l], x);
#pragma unroll
            for (int i = 0; i < 8; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    sums[i][j] += a_part[i] * b_part[j];
                }
            }
        }
        half ^= 1;
        if (more) {
            keep(half);  // all threads left these tiles before the last barrier
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < 8; ++i) {
        int row = first_row + i / 4 * (kTile / 2) + y * 4 + i % 4;
#pragma unroll
        for (int group = 0; group < 2; ++group) {
            int col = first_col + group * (kTile / 2) + x * 4;
            float* target = c + size_t(row) * n + col;
            const float* sum = sums[i] + group * 4;
            if (row < m && col < n && n % 4 == 0) {
                float4 old = *reinterpret_cast<float4*>(target);
                *reinterpret_cast<float4*>(target) =
                    make_float4(alpha * sum[0] + beta * old.x, alpha * sum[1] + beta * old.y,
                                alpha * sum[2] + beta * old.z, alpha * sum[3] + beta * old.w);
            } else {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    if (row < m && col + j < n) {
                        target[j] = alpha * sum[j] + beta * target[j];
                    }
                }
            }
        }
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k, float alpha, float beta) {
    dim3 blocks((n - 1) / kTile + 1, (m - 1) / kTile + 1);
    multiply<<<blocks, kThreads>>>(a, b, c, m, n, k, alpha, beta);
}
