// Wrong: the derivative of (code - z) * s by s is taken as code - z everywhere, as if the code did not depend
// on the scale. By the product rule, elements inside the range also have the term -x / s.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void fake_quantise(const float* x, const float* dy, const float* s, const float* z, float* y, float* dx,
                              float* ds, int n, float levels) {
    __shared__ float sums[kThreads];
    size_t start = size_t(blockIdx.x) * n;
    float scale = s[blockIdx.x], zero = z[blockIdx.x];
    float sum = 0.0f;
    for (int col = threadIdx.x; col < n; col += kThreads) {
        size_t at = start + col;
        float quotient = x[at] / scale, gradient = dy[at];
        float rounded = rintf(quotient), code = rounded + zero;
        float kept = fminf(fmaxf(code, 0.0f), levels);
        bool inside = code == kept;
        y[at] = (kept - zero) * scale;
        dx[at] = inside ? gradient : 0.0f;
        sum += gradient * (kept - zero);
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            sums[threadIdx.x] += sums[threadIdx.x + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        ds[blockIdx.x] = sums[0];
    }
}

extern "C" void solve(const float* x, const float* dy, const float* s, const float* z, float* y, float* dx, float* ds,
                      int m, int n, int levels) {
    fake_quantise<<<m, kThreads>>>(x, dy, s, z, y, dx, ds, n, levels);
}
