// The sums begin at zero once, before the first step. Here each step forgets the ones before.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int kTile = 16;

// Copies a tile to shared memory, with zeros beyond the edges.
__device__ void stage(const __half* from, __half* tile, int row, int col, int rows, int cols) {
    for (int i = threadIdx.x; i < kTile * kTile; i += 32) {
        int r = row + i / kTile, c = col + i % kTile;
        tile[i] = r < rows && c < cols ? from[size_t(r) * cols + c] : __float2half(0.0f);
    }
}

__global__ void multiply(const __half* a, const __half* b, float* c, int m, int n, int k) {
    __shared__ alignas(32) __half a_tile[kTile * kTile];
    __shared__ alignas(32) __half b_tile[kTile * kTile];
    __shared__ alignas(32) float c_tile[kTile * kTile];
    const int row = blockIdx.y * kTile, col = blockIdx.x * kTile;
    wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int first = 0; first < k; first += kTile) {
        stage(a, a_tile, row, first, m, k);
        stage(b, b_tile, first, col, k, n);
        __syncwarp();
        wmma::fill_fragment(sum, 0.0f);
        wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, __half, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, __half, wmma::row_major> right;
        wmma::load_matrix_sync(left, a_tile, kTile);
        wmma::load_matrix_sync(right, b_tile, kTile);
        wmma::mma_sync(sum, left, right, sum);
        __syncwarp();
    }
    wmma::store_matrix_sync(c_tile, sum, kTile, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < kTile * kTile; i += 32) {
        int r = row + i / kTile, s = col + i % kTile;
        if (r < m && s < n) c[size_t(r) * n + s] = c_tile[i];
    }
}

extern "C" void solve(const __half* a, const __half* b, float* c, int m, int n, int k) {
    dim3 blocks((n - 1) / kTile + 1, (m - 1) / kTile + 1);
    multiply<<<blocks, 32>>>(a, b, c, m, n, k);
}
