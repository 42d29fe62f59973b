// Four warps multiply tiles of 64 x 64 on tensor cores, with float32 sums in fragments. Which thread holds which element of a fragment is
// unspecified, so the sums pass through shared memory: there, row and column are known, and the epilogue can add the bias.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

constexpr int kTile = 64;
constexpr int kStep = 32;  // along k
constexpr int kThreads = 128;
constexpr int kUnit = 16;  // rows and columns of a fragment

__device__ float gelu(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678f)); }

__global__ void layer(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    __shared__ __align__(32) __half left[kTile * kStep], right[kStep * kTile];
    __shared__ __align__(32) float sums[kTile * kTile];
    int top = blockIdx.y * kTile, edge = blockIdx.x * kTile, warp = threadIdx.x / 32;
    wmma::fragment<wmma::accumulator, kUnit, kUnit, kUnit, float> total[kTile / kUnit];
    for (int c = 0; c < kTile / kUnit; ++c) wmma::fill_fragment(total[c], 0.0f);
    const __half zero = __float2half(0.0f);
    for (int start = 0; start < k; start += kStep) {
        for (int at = threadIdx.x; at < kTile * kStep; at += kThreads) {
            int row = top + at / kStep, across = start + at % kStep;
            left[at] = row < m && across < k ? x[size_t(row) * k + across] : zero;
            int down = start + at / kTile, col = edge + at % kTile;
            right[at] = down < k && col < n ? w[size_t(down) * n + col] : zero;
        }
        __syncthreads();
        for (int j = 0; j < kStep; j += kUnit) {
            wmma::fragment<wmma::matrix_a, kUnit, kUnit, kUnit, __half, wmma::row_major> a;
            wmma::load_matrix_sync(a, left + warp * kUnit * kStep + j, kStep);
            for (int c = 0; c < kTile / kUnit; ++c) {
                wmma::fragment<wmma::matrix_b, kUnit, kUnit, kUnit, __half, wmma::row_major> part;
                wmma::load_matrix_sync(part, right + j * kTile + c * kUnit, kTile);
                wmma::mma_sync(total[c], a, part, total[c]);
            }
        }
        __syncthreads();
    }
    for (int c = 0; c < kTile / kUnit; ++c) {
        wmma::store_matrix_sync(sums + warp * kUnit * kTile + c * kUnit, total[c], kTile, wmma::mem_row_major);
    }
    __syncthreads();
    for (int at = threadIdx.x; at < kTile * kTile; at += kThreads) {
        int row = top + at / kTile, col = edge + at % kTile;
        if (row < m && col < n) y[size_t(row) * n + col] = __float2half(gelu(sums[at] + __half2float(b[col])));
    }
}

extern "C" void solve(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    dim3 blocks((n - 1) / kTile + 1, (m - 1) / kTile + 1);
    layer<<<blocks, kThreads>>>(x, w, b, y, m, n, k);
}
