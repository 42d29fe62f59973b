// Tensor cores: the tiles of the implicit product stay in float16, and each of four warps multiplies a 16 x 16 part of a
// 32 x 32 tile of results. Sums are float32.
#include <cuda_fp16.h>
#include <mma.h>

constexpr int kTile = 32;
constexpr int kStep = 16;  // of the sum
constexpr int kThreads = 128;

__global__ void convolve(const __half* x, const __half* filters, __half* y, int c, int h, int w, int o, int r, int s, int pad,
                         int rows, int cols) {
    using namespace nvcuda;
    __shared__ __align__(32) __half weights[kTile][kStep];
    __shared__ __align__(32) __half windows[kStep][kTile];
    __shared__ __align__(32) float results[kTile][kTile];
    int depth = c * r * s, places = rows * cols;
    int first_filter = blockIdx.y * kTile, first_place = blockIdx.x * kTile;
    const __half* image = x + size_t(blockIdx.z) * c * h * w;
    int warp = threadIdx.x / 32, down = warp / 2 * 16, across = warp % 2 * 16;
    const __half zero = __float2half(0.0f);

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int first = 0; first < depth; first += kStep) {
        for (int at = threadIdx.x; at < kTile * kStep; at += kThreads) {
            int filter = first_filter + at / kStep, l = first + at % kStep;
            weights[at / kStep][at % kStep] = filter < o && l < depth ? filters[size_t(filter) * depth + l] : zero;
            l = first + at / kTile;
            int place = first_place + at % kTile;
            int channel = l / (r * s), row = place / cols + l / s % r - pad, col = place % cols + l % s - pad;
            bool inside = l < depth && place < places && row >= 0 && row < h && col >= 0 && col < w;
            windows[at / kTile][at % kTile] = inside ? image[(size_t(channel) * h + row) * w + col] : zero;
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
        wmma::load_matrix_sync(left, &weights[down][0], kStep);
        wmma::load_matrix_sync(right, &windows[0][across], kTile);
        wmma::mma_sync(sum, left, right, sum);
        __syncthreads();
    }
    wmma::store_matrix_sync(&results[down][across], sum, kTile, wmma::mem_row_major);
    __syncthreads();
    for (int at = threadIdx.x; at < kTile * kTile; at += kThreads) {
        int filter = first_filter + at / kTile, place = first_place + at % kTile;
        if (filter < o && place < places) {
            y[(size_t(blockIdx.z) * o + filter) * places + place] = __float2half(results[at / kTile][at % kTile]);
        }
    }
}

extern "C" void solve(const __half* x, const __half* filters, __half* y, int b, int c, int h, int w, int o, int r, int s,
                      int pad) {
    int rows = h + 2 * pad - r + 1, cols = w + 2 * pad - s + 1;
    dim3 grid((rows * cols - 1) / kTile + 1, (o - 1) / kTile + 1, b);
    convolve<<<grid, kThreads>>>(x, filters, y, c, h, w, o, r, s, pad, rows, cols);
}
