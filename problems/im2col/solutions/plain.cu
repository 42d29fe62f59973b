// One thread per element of the matrix. Its flat index gives image, channel, offset in the window and place of the window.
//
// What bounds it: integer divisions. Five of them by numbers that are known only at run time take a few hundred instructions
// per element, against four bytes of writing.
#include <cuda_runtime.h>

__global__ void unfold(const float* x, float* cols, unsigned size, int c, int h, int w, int r, int s, int stride, int pad,
                       int high, int wide) {
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < size) {
        unsigned rest = at;
        int ox = rest % wide;
        rest /= wide;
        int oy = rest % high;
        rest /= high;
        int j = rest % s;
        rest /= s;
        int i = rest % r;
        unsigned plane = rest / r;  // image and channel
        int row = oy * stride + i - pad, col = ox * stride + j - pad;
        bool inside = row >= 0 && row < h && col >= 0 && col < w;
        cols[at] = inside ? x[(size_t(plane) * h + row) * w + col] : 0.0f;
    }
}

extern "C" void solve(const float* x, float* cols, int b, int c, int h, int w, int r, int s, int stride, int pad) {
    int high = (h + 2 * pad - r) / stride + 1, wide = (w + 2 * pad - s) / stride + 1;
    unsigned size = unsigned(b) * c * r * s * high * wide;
    unfold<<<(size + 255) / 256, 256>>>(x, cols, size, c, h, w, r, s, stride, pad, high, wide);
}
