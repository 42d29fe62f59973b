// Wrong: the filters have the indices (filter, channel, row, column). With filter and channel exchanged, weights belong to
// other channels, and some lie outside.
#include <cuda_fp16.h>

__global__ void convolve(const __half* x, const __half* filters, __half* y, int c, int h, int w, int o, int r, int s, int pad,
                         int rows, int cols, size_t count) {
    size_t at = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= count) return;
    int q = static_cast<int>(at % cols), p = static_cast<int>(at / cols % rows);
    int f = static_cast<int>(at / cols / rows % o);
    const __half* image = x + at / cols / rows / o * c * h * w;
    float sum = 0.0f;
    for (int channel = 0; channel < c; ++channel) {
        for (int i = 0; i < r; ++i) {
            for (int j = 0; j < s; ++j) {
                int row = p + i - pad, col = q + j - pad;
                if (row < 0 || row >= h || col < 0 || col >= w) continue;
                sum += __half2float(filters[((size_t(channel) * c + f) * r + i) * s + j]) * __half2float(image[(size_t(channel) * h + row) * w + col]);
            }
        }
    }
    y[at] = __float2half(sum);
}

extern "C" void solve(const __half* x, const __half* filters, __half* y, int b, int c, int h, int w, int o, int r, int s,
                      int pad) {
    int rows = h + 2 * pad - r + 1, cols = w + 2 * pad - s + 1;
    size_t count = size_t(b) * o * rows * cols;
    unsigned blocks = static_cast<unsigned>((count + 255) / 256);
    convolve<<<blocks, 256>>>(x, filters, y, c, h, w, o, r, s, pad, rows, cols, count);
}
