// One thread per window and channel. It walks over the offsets in the window, so only one division and remainder is needed for r * s
// elements. Neighbouring threads write neighbouring elements in every step.
//
// What bounds it: DRAM bandwidth for writing. The windows overlap, but their elements come from the L1 cache.
#include <cuda_runtime.h>

__global__ void unfold(const float* x, float* cols, int windows, int h, int w, int r, int s, int stride, int pad, int wide) {
    int window = blockIdx.x * blockDim.x + threadIdx.x;
    if (window >= windows) {
        return;
    }
    int oy = window / wide, ox = window % wide;
    const float* image = x + size_t(blockIdx.y) * h * w;  // one channel of one image
    float* out = cols + size_t(blockIdx.y) * r * s * windows + window;
    for (int i = 0; i < r; ++i) {
        for (int j = 0; j < s; ++j) {
            int row = oy * stride + i - pad, col = ox * stride + j - pad;
            bool inside = row >= 0 && row < h && col >= 0 && col < w;
            *out = inside ? image[row * w + col] : 0.0f;
            out += windows;
        }
    }
}

extern "C" void solve(const float* x, float* cols, int b, int c, int h, int w, int r, int s, int stride, int pad) {
    int high = (h + 2 * pad - r) / stride + 1, wide = (w + 2 * pad - s) / stride + 1;
    int windows = high * wide, threads = windows < 128 ? (windows + 31) / 32 * 32 : 128;
    // The second dimension of a grid ends at 65,535, so images are launched in parts.
    int part = 65535 / c < b ? 65535 / c : b;
    for (int first = 0; first < b; first += part) {
        int images = b - first < part ? b - first : part;
        unfold<<<dim3((windows + threads - 1) / threads, images * c), threads>>>(
            x + size_t(first) * c * h * w, cols + size_t(first) * c * r * s * windows, windows, h, w, r, s, stride, pad, wide);
    }
}
