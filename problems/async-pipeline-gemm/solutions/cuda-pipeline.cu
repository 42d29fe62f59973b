// The library's pipeline counts the groups: consumer_wait waits for the oldest one. memcpy_async becomes cp.async if the size is known to be aligned. It
// cannot fill with zeros, so threads beyond the edges store these themselves. Tiles of 128 x 64 give each thread 8 x 4 results.
//
// What bounds it: float32 arithmetic.
#include <cuda/pipeline>
#include <cuda_fp16.h>

constexpr int kRows = 128, kCols = 64;  // of a tile of c
constexpr int kDepth = 32;              // of the tiles of a and b
constexpr int kThreads = 256;
constexpr int kGroup = 8;  // elements of a copy of 16 bytes
constexpr int kPitchA = kDepth + kGroup, kPitchB = kCols + kGroup;

__global__ void __launch_bounds__(kThreads) multiply(const __half* a, const __half* b, float* c, int m, int n, int k) {
    __shared__ alignas(16) __half a_tiles[2][kRows][kPitchA];
    __shared__ alignas(16) __half b_tiles[2][kDepth][kPitchB];
    const int first_row = blockIdx.y * kRows, first_col = blockIdx.x * kCols;
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    auto pipeline = cuda::make_pipeline();

    auto copy_group = [&](__half* to, const __half* from, bool inside) {
        if (inside) {
            cuda::memcpy_async(to, from, cuda::aligned_size_t<16>(16), pipeline);
        } else {
            *reinterpret_cast<uint4*>(to) = make_uint4(0, 0, 0, 0);
        }
    };
    auto fetch = [&](int step) {
        for (int i = threadIdx.x; i < kRows * kDepth / kGroup; i += kThreads) {
            const int row = first_row + i / 4, col = step * kDepth + i % 4 * kGroup;
            copy_group(&a_tiles[step % 2][i / 4][i % 4 * kGroup], a + size_t(row) * k + col, row < m && col < k);
        }
        for (int i = threadIdx.x; i < kDepth * kCols / kGroup; i += kThreads) {
            const int row = step * kDepth + i / 8, col = first_col + i % 8 * kGroup;
            copy_group(&b_tiles[step % 2][i / 8][i % 8 * kGroup], b + size_t(row) * n + col, row < k && col < n);
        }
    };

    const int steps = (k - 1) / kDepth + 1;
    float sums[8][4] = {};
    pipeline.producer_acquire();
    fetch(0);
    pipeline.producer_commit();
    for (int step = 0; step < steps; ++step) {
        pipeline.consumer_wait();
        __syncthreads();
        if (step + 1 < steps) {
            pipeline.producer_acquire();
            fetch(step + 1);
            pipeline.producer_commit();
        }
#pragma unroll 4
        for (int l = 0; l < kDepth; ++l) {
            const __half2* pairs = reinterpret_cast<const __half2*>(&b_tiles[step % 2][l][x * 4]);
            const float2 low = __half22float2(pairs[0]), high = __half22float2(pairs[1]);
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                const float left = __half2float(a_tiles[step % 2][y + 16 * i][l]);
                sums[i][0] += left * low.x;
                sums[i][1] += left * low.y;
                sums[i][2] += left * high.x;
                sums[i][3] += left * high.y;
            }
        }
        pipeline.consumer_release();
    }

    const int col = first_col + x * 4;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int row = first_row + y + 16 * i;
        if (row < m && col < n) {
            float4* target = reinterpret_cast<float4*>(c + size_t(row) * n + col);
            *target = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
        }
    }
}

extern "C" void solve(const __half* a, const __half* b, float* c, int m, int n, int k) {
    dim3 blocks((n - 1) / kCols + 1, (m - 1) / kRows + 1);
    multiply<<<blocks, kThreads>>>(a, b, c, m, n, k);
}
