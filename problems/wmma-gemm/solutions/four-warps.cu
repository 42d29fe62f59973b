// Four warps stage two tiles of 32 x 16 together, and each uses half of both. Every staged element is multiplied twice as often as by one warp, and
// the warps need barriers of the block.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int kTile = 16;
constexpr int kSide = 2 * kTile;
constexpr int kThreads = 128;

__device__ void stage(const __half* from, __half* tile, int row, int col, int rows, int cols, int width) {
    for (int i = threadIdx.x; i < kSide * kTile; i += kThreads) {
        int r = row + i / width, c = col + i % width;
        tile[i] = r < rows && c < cols ? from[size_t(r) * cols + c] : __float2half(0.0f);
    }
}

__global__ void multiply(const __half* a, const __half* b, float* c, int m, int n, int k) {
    __shared__ alignas(32) __half a_tile[kSide * kTile];
    __shared__ alignas(32) __half b_tile[kTile * kSide];
    __shared__ alignas(32) float c_tile[kSide * kSide];
    const int row = blockIdx.y * kSide, col = blockIdx.x * kSide;
    const int down = threadIdx.x / 64 * kTile, right_by = threadIdx.x / 32 % 2 * kTile;
    wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int first = 0; first < k; first += kTile) {
        stage(a, a_tile, row, first, m, k, kTile);
        stage(b, b_tile, first, col, k, n, kSide);
        __syncthreads();
        wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, __half, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, __half, wmma::row_major> right;
        wmma::load_matrix_sync(left, a_tile + down * kTile, kTile);
        wmma::load_matrix_sync(right, b_tile + right_by, kSide);
        wmma::mma_sync(sum, left, right, sum);
        __syncthreads();
    }
    wmma::store_matrix_sync(c_tile + down * kSide + right_by, sum, kSide, wmma::mem_row_major);
    __syncthreads();
    for (int i = threadIdx.x; i < kSide * kSide; i += kThreads) {
        int r = row + i / kSide, s = col + i % kSide;
        if (r < m && s < n) c[size_t(r) * n + s] = c_tile[i];
    }
}

extern "C" void solve(const __half* a, const __half* b, float* c, int m, int n, int k) {
    dim3 blocks((n - 1) / kSide + 1, (m - 1) / kSide + 1);
    multiply<<<blocks, kThreads>>>(a, b, c, m, n, k);
}
