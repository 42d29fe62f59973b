// Right, but nothing overlaps: with one pair of tiles, the copies can start only when all threads have multiplied, and then all wait for them. Each step needs
// two barriers, one before the tiles are used and one before they are overwritten. An asynchronous copy for which a thread waits at once is not faster than a load.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

constexpr int kTile = 64;   // of c, in both directions
constexpr int kDepth = 32;  // of the tiles of a and b
constexpr int kThreads = 256;
constexpr int kGroup = 8;  // elements of a copy of 16 bytes
constexpr int kPitchA = kDepth + kGroup, kPitchB = kTile + kGroup;

__global__ void __launch_bounds__(kThreads) multiply(const __half* a, const __half* b, float* c, int m, int n, int k) {
    __shared__ alignas(16) __half a_tiles[1][kTile][kPitchA];
    __shared__ alignas(16) __half b_tiles[1][kDepth][kPitchB];
    const int first_row = blockIdx.y * kTile, first_col = blockIdx.x * kTile;
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;

    // Each thread copies one group of each tile. Beyond the edges, all 16 bytes are zeros and nothing is read.
    auto fetch = [&](int step) {
        const int a_y = threadIdx.x / 4, a_x = threadIdx.x % 4 * kGroup;
        const int a_row = first_row + a_y, a_col = step * kDepth + a_x;
        const bool a_inside = a_row < m && a_col < k;
        const __half* a_from = a_inside ? a + size_t(a_row) * k + a_col : a;
        __pipeline_memcpy_async(&a_tiles[0][a_y][a_x], a_from, 16, a_inside ? 0 : 16);
        const int b_y = threadIdx.x / 8, b_x = threadIdx.x % 8 * kGroup;
        const int b_row = step * kDepth + b_y, b_col = first_col + b_x;
        const bool b_inside = b_row < k && b_col < n;
        const __half* b_from = b_inside ? b + size_t(b_row) * n + b_col : b;
        __pipeline_memcpy_async(&b_tiles[0][b_y][b_x], b_from, 16, b_inside ? 0 : 16);
    };

    const int steps = (k - 1) / kDepth + 1;
    float sums[4][4] = {};
    for (int step = 0; step < steps; ++step) {
        fetch(step);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
#pragma unroll 8
        for (int l = 0; l < kDepth; ++l) {
            const __half2* pairs = reinterpret_cast<const __half2*>(&b_tiles[0][l][x * 4]);
            const float2 low = __half22float2(pairs[0]), high = __half22float2(pairs[1]);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float left = __half2float(a_tiles[0][y + 16 * i][l]);
                sums[i][0] += left * low.x;
                sums[i][1] += left * low.y;
                sums[i][2] += left * high.x;
                sums[i][3] += left * high.y;
            }
        }
        __syncthreads();
    }

    const int col = first_col + x * 4;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int row = first_row + y + 16 * i;
        if (row < m && col < n) {
            float4* target = reinterpret_cast<float4*>(c + size_t(row) * n + col);
            *target = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
        }
    }
}

extern "C" void solve(const __half* a, const __half* b, float* c, int m, int n, int k) {
    dim3 blocks((n - 1) / kTile + 1, (m - 1) / kTile + 1);
    multiply<<<blocks, kThreads>>>(a, b, c, m, n, k);
}
