// Wrong: takes the window from its end, as the convolution of mathematics does. Networks use the cross-correlation, which
// does not flip, and call it convolution. Windows of one pixel look the same.
#include <cuda_runtime.h>

__global__ void unfold(const float* x, float* cols, int h, int w, int r, int s, int stride, int pad, int high, int wide) {
    int j = blockIdx.x % s, i = blockIdx.x / s % r, plane = blockIdx.x / s / r;
    const float* image = x + size_t(plane) * h * w;
    float* out = cols + size_t(blockIdx.x) * high * wide;
    for (int window = threadIdx.x; window < high * wide; window += blockDim.x) {
        int oy = window / wide, ox = window % wide;
        int row = oy * stride + (r - 1 - i) - pad, col = ox * stride + (s - 1 - j) - pad;
        bool inside = row >= 0 && row < h && col >= 0 && col < w;
        out[window] = inside ? image[row * w + col] : 0.0f;
    }
}

extern "C" void solve(const float* x, float* cols, int b, int c, int h, int w, int r, int s, int stride, int pad) {
    int high = (h + 2 * pad - r) / stride + 1, wide = (w + 2 * pad - s) / stride + 1;
    int threads = high * wide < 256 ? (high * wide + 31) / 32 * 32 : 256;
    unfold<<<b * c * r * s, threads>>>(x, cols, h, w, r, s, stride, pad, high, wide);
}
