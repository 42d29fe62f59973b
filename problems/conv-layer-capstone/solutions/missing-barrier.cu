// Wrong: no barrier after the products. A fast warp loads the next tiles over those that a slower one still reads.
#include <cuda_fp16.h>

constexpr int kTile = 32;
constexpr int kThreadRows = 8;  // each thread computes four results

__global__ void convolve(const __half* x, const __half* filters, __half* y, int c, int h, int w, int o, int r, int s, int pad,
                         int rows, int cols) {
    __shared__ float weights[kTile][kTile + 1];
    __shared__ float windows[kTile][kTile + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int depth = c * r * s, places = rows * cols;
    int first_filter = blockIdx.y * kTile;
    int place = blockIdx.x * kTile + tx;  // of the result
    int p = place / cols, q = place % cols;
    const __half* image = x + size_t(blockIdx.z) * c * h * w;
    float sums[kTile / kThreadRows] = {};
    for (int first = 0; first < depth; first += kTile) {
        for (int line = ty; line < kTile; line += kThreadRows) {
            int filter = first_filter + line, l = first + tx;
            weights[line][tx] = filter < o && l < depth ? __half2float(filters[size_t(filter) * depth + l]) : 0.0f;
            l = first + line;
            int channel = l / (r * s), row = p + l / s % r - pad, col = q + l % s - pad;
            bool inside = l < depth && place < places && row >= 0 && row < h && col >= 0 && col < w;
            windows[line][tx] = inside ? __half2float(image[(size_t(channel) * h + row) * w + col]) : 0.0f;
        }
        __syncthreads();
        for (int l = 0; l < kTile; ++l) {
            for (int k = 0; k < kTile / kThreadRows; ++k) sums[k] += weights[ty + k * kThreadRows][l] * windows[l][tx];
        }
        // __syncthreads() belongs here.
    }
    if (place >= places) return;
    for (int k = 0; k < kTile / kThreadRows; ++k) {
        int filter = first_filter + ty + k * kThreadRows;
        if (filter < o) y[(size_t(blockIdx.z) * o + filter) * places + place] = __float2half(sums[k]);
    }
}

extern "C" void solve(const __half* x, const __half* filters, __half* y, int b, int c, int h, int w, int o, int r, int s,
                      int pad) {
    int rows = h + 2 * pad - r + 1, cols = w + 2 * pad - s + 1;
    dim3 grid((rows * cols - 1) / kTile + 1, (o - 1) / kTile + 1, b);
    convolve<<<grid, dim3(kTile, kThreadRows)>>>(x, filters, y, c, h, w, o, r, s, pad, rows, cols);
}
