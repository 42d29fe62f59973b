// 128 threads compute 128 x 64 elements of C, 8 x 8 each, in groups of four neighbours. Global and shared memory are read in
// vectors of four numbers if all rows begin at multiples of 16 bytes. While a block multiplies one pair of tiles, the next pair
// is on its way to registers, and one barrier per step suffices because it is stored to a second pair of tiles.
//
// What bounds it: float32 arithmetic, if there are enough tiles for all multiprocessors.
#include <cuda_runtime.h>

constexpr int kHigh = 128, kWide = 64, kDepth = 16;  // of the tiles
constexpr int kThreadsX = 8, kThreadsY = 16;
constexpr int kThreads = kThreadsX * kThreadsY;
constexpr int kPad = 4;  // keeps rows aligned to 16 bytes, and spreads the transposed stores over the banks
constexpr int kFromA = kHigh * kDepth / 4 / kThreads;  // vectors of each tile that a thread brings
constexpr int kFromB = kDepth * kWide / 4 / kThreads;

// Four neighbours of a row, with zeros beyond the edges. `col` is a multiple of four.
__device__ float4 four(const float* matrix, int rows, int cols, int row, int col, bool aligned) {
    if (row >= rows || col >= cols) return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const float* from = matrix + size_t(row) * cols + col;
    if (aligned) return *reinterpret_cast<const float4*>(from);
    return make_float4(from[0], col + 1 < cols ? from[1] : 0.0f, col + 2 < cols ? from[2] : 0.0f,
                       col + 3 < cols ? from[3] : 0.0f);
}

__device__ void split(float* part, const float* from) {
    float4 v = *reinterpret_cast<const float4*>(from);
    part[0] = v.x, part[1] = v.y, part[2] = v.z, part[3] = v.w;
}

__global__ void __launch_bounds__(kThreads)
multiply(const float* a, const float* b, float* c, int m, int n, int k, bool aligned_a, bool aligned_b) {
    __shared__ __align__(16) float a_tiles[2][kDepth][kHigh + kPad];  // transposed
    __shared__ __align__(16) float b_tiles[2][kDepth][kWide];
    int t = threadIdx.x;
    int x = t % kThreadsX * 4, y = t / kThreadsX * 4;  // the first of the thread's columns and rows
    int top = blockIdx.y * kHigh, left = blockIdx.x * kWide;
    float sums[8][8] = {};
    float4 next_a[kFromA], next_b[kFromB];

    auto fetch = [&](int first) {
#pragma unroll
        for (int i = 0; i < kFromA; ++i) {
            int v = t + i * kThreads;
            next_a[i] = four(a, m, k, top + v / (kDepth / 4), first + v % (kDepth / 4) * 4, aligned_a);
        }
#pragma unroll
        for (int i = 0; i < kFromB; ++i) {
            int v = t + i * kThreads;
            next_b[i] = four(b, k, n, first + v / (kWide / 4), left + v % (kWide / 4) * 4, aligned_b);
        }
    };
    auto keep = [&](int turn) {
#pragma unroll
        for (int i = 0; i < kFromA; ++i) {
            int v = t + i * kThreads, high = v / (kDepth / 4), depth = v % (kDepth / 4) * 4;
            a_tiles[turn][depth + 0][high] = next_a[i].x;
            a_tiles[turn][depth + 1][high] = next_a[i].y;
            a_tiles[turn][depth + 2][high] = next_a[i].z;
            a_tiles[turn][depth + 3][high] = next_a[i].w;
        }
#pragma unroll
        for (int i = 0; i < kFromB; ++i) {
            int v = t + i * kThreads;
            *reinterpret_cast<float4*>(&b_tiles[turn][v / (kWide / 4)][v % (kWide / 4) * 4]) = next_b[i];
        }
    };

    fetch(0);
    keep(0);
    __syncthreads();
    int turn = 0;
    for (int first = 0; first < k; first += kDepth) {
        bool more = first + kDepth < k;
        if (more) fetch(first + kDepth);
#pragma unroll
        for (int l = 0; l < kDepth; ++l) {
            float a_part[8], b_part[8];
            split(a_part, &a_tiles[turn][l][y]);
            split(a_part + 4, &a_tiles[turn][l][y + kHigh / 2]);
            split(b_part, &b_tiles[turn][l][x]);
            split(b_part + 4, &b_tiles[turn][l][x + kWide / 2]);
#pragma unroll
            for (int i = 0; i < 8; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    sums[i][j] += a_part[i] * b_part[j];
                }
            }
        }
        turn ^= 1;
        if (more) keep(turn);  // all threads left this pair before the last barrier
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < 8; ++i) {
        int row = top + y + i / 4 * (kHigh / 2) + i % 4;
        if (row >= m) continue;
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
            int col = left + x + j / 4 * (kWide / 2);
            float* to = c + size_t(row) * n + col;
            if (aligned_b && col < n) {
                *reinterpret_cast<float4*>(to) = make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
            } else {
#pragma unroll
                for (int l = 0; l < 4; ++l) {
                    if (col + l < n) to[l] = sums[i][j + l];
                }
            }
        }
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    dim3 blocks((n - 1) / kWide + 1, (m - 1) / kHigh + 1);
    multiply<<<blocks, kThreads>>>(a, b, c, m, n, k, k % 4 == 0, n % 4 == 0);
}
