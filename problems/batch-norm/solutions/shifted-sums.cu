// One block per channel and image adds d = x - x0 and d * d, where x0 is the channel's first element. E[d^2] - E[d]^2 is the
// variance, and does not cancel, because d is of the size of the deviation. Plain sums merge by addition: atomics do it.
//
// What bounds it: DRAM bandwidth, 12 bytes per element, and no division per element.
#include <cuda_runtime.h>

constexpr int kThreads = 128;
constexpr int kMostChannels = 4096;
constexpr float kEpsilon = 1e-5f, kMomentum = 0.1f;

__device__ double sums[2 * kMostChannels];

__device__ float sum_warp(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, offset);
    }
    return value;
}

__global__ void gather(const float* x, int c, int pixels) {
    int channel = blockIdx.x;
    const float* plane = x + (size_t(blockIdx.y) * c + channel) * pixels;
    float shift = x[size_t(channel) * pixels];
    float sum = 0.0f, squares = 0.0f;
    for (int p = threadIdx.x; p < pixels; p += kThreads) {
        float d = plane[p] - shift;
        sum += d;
        squares += d * d;
    }
    sum = sum_warp(sum);
    squares = sum_warp(squares);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&sums[2 * channel], double(sum));
        atomicAdd(&sums[2 * channel + 1], double(squares));
    }
}

__global__ void apply(const float* x, const float* gamma, const float* beta, float* running_mean, float* running_var,
                      float* y, int n, int c, int pixels) {
    int channel = blockIdx.x;
    float count = float(n) * pixels;
    double off = sums[2 * channel] / count;
    float mean = x[size_t(channel) * pixels] + float(off);
    float variance = fmaxf(float(sums[2 * channel + 1] / count - off * off), 0.0f);
    float scale = rsqrtf(variance + kEpsilon) * gamma[channel];
    size_t plane = (size_t(blockIdx.y) * c + channel) * pixels;
    for (int p = threadIdx.x; p < pixels; p += kThreads) {
        y[plane + p] = (x[plane + p] - mean) * scale + beta[channel];
    }
    if (blockIdx.y == 0 && threadIdx.x == 0) {
        float unbiased = variance * (count / fmaxf(count - 1.0f, 1.0f));
        running_mean[channel] = (1.0f - kMomentum) * running_mean[channel] + kMomentum * mean;
        running_var[channel] = (1.0f - kMomentum) * running_var[channel] + kMomentum * unbiased;
    }
}

extern "C" void solve(const float* x, const float* gamma, const float* beta, float* running_mean, float* running_var,
                      float* y, int n, int c, int h, int w) {
    void* address = nullptr;
    cudaGetSymbolAddress(&address, sums);
    cudaMemsetAsync(address, 0, 2 * c * sizeof(double));
    gather<<<dim3(c, n), kThreads>>>(x, c, h * w);
    apply<<<dim3(c, n), kThreads>>>(x, gamma, beta, running_mean, running_var, y, n, c, h * w);
}
