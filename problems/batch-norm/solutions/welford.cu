// Each channel is split over several blocks. They keep count, mean and squared deviations (Welford), which one warp per
// channel merges (Chan). A last kernel is elementwise.
//
// What bounds it: DRAM bandwidth, 12 bytes per element: two readings and one writing. The number of blocks no longer
// depends on the number of channels.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kShare = 4096;      // elements that make a further block worth while
constexpr int kMostShares = 32;   // one per lane of the merging warp
constexpr int kMostChannels = 4096;
constexpr float kEpsilon = 1e-5f, kMomentum = 0.1f;

struct Moments {
    float count;
    float mean;
    float squares;  // sum of (x - mean)^2
};

__device__ Moments partial[kMostChannels * kMostShares];
__device__ float means[kMostChannels], scales[kMostChannels];

__device__ Moments merge(Moments a, Moments b) {
    float count = a.count + b.count;
    if (count == 0.0f) {
        return a;
    }
    float delta = b.mean - a.mean;
    float share = b.count / count;
    return {count, a.mean + delta * share, a.squares + b.squares + delta * delta * a.count * share};
}

__device__ Moments merge_warp(Moments m) {
    for (int offset = 16; offset > 0; offset /= 2) {
        Moments other = {__shfl_xor_sync(0xffffffffu, m.count, offset), __shfl_xor_sync(0xffffffffu, m.mean, offset),
                         __shfl_xor_sync(0xffffffffu, m.squares, offset)};
        m = merge(m, other);
    }
    return m;
}

__global__ void gather(const float* x, int count, int c, int pixels) {
    __shared__ Moments warps[kThreads / 32];
    int channel = blockIdx.x;
    Moments m = {0.0f, 0.0f, 0.0f};
    for (int e = blockIdx.y * kThreads + threadIdx.x; e < count; e += gridDim.y * kThreads) {
        float value = x[(size_t(e / pixels) * c + channel) * pixels + e % pixels];
        m.count += 1.0f;
        float delta = value - m.mean;
        m.mean += delta / m.count;
        m.squares += delta * (value - m.mean);
    }
    m = merge_warp(m);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) {
        warps[warp] = m;
    }
    __syncthreads();
    if (warp == 0) {
        m = merge_warp(lane < kThreads / 32 ? warps[lane] : Moments{0.0f, 0.0f, 0.0f});
        if (lane == 0) {
            partial[channel * kMostShares + blockIdx.y] = m;
        }
    }
}

__global__ void conclude(const float* gamma, float* running_mean, float* running_var, int shares) {
    int channel = blockIdx.x, lane = threadIdx.x;
    Moments m = lane < shares ? partial[channel * kMostShares + lane] : Moments{0.0f, 0.0f, 0.0f};
    m = merge_warp(m);
    if (lane == 0) {
        means[channel] = m.mean;
        scales[channel] = rsqrtf(m.squares / m.count + kEpsilon) * gamma[channel];
        float unbiased = m.squares / fmaxf(m.count - 1.0f, 1.0f);
        running_mean[channel] = (1.0f - kMomentum) * running_mean[channel] + kMomentum * m.mean;
        running_var[channel] = (1.0f - kMomentum) * running_var[channel] + kMomentum * unbiased;
    }
}

__global__ void apply(const float* x, const float* beta, float* y, size_t size, int c, int pixels) {
    size_t step = size_t(gridDim.x) * kThreads;
    for (size_t i = size_t(blockIdx.x) * kThreads + threadIdx.x; i < size; i += step) {
        int channel = i / pixels % c;
        y[i] = (x[i] - means[channel]) * scales[channel] + beta[channel];
    }
}

extern "C" void solve(const float* x, const float* gamma, const float* beta, float* running_mean, float* running_var,
                      float* y, int n, int c, int h, int w) {
    int count = n * h * w;
    int shares = (count + kShare - 1) / kShare;
    shares = shares < kMostShares ? shares : kMostShares;
    gather<<<dim3(c, shares), kThreads>>>(x, count, c, h * w);
    conclude<<<c, 32>>>(gamma, running_mean, running_var, shares);
    size_t size = size_t(count) * c;
    size_t blocks = (size + 4 * kThreads - 1) / (4 * kThreads);
    apply<<<blocks < 4096 ? blocks : 4096, kThreads>>>(x, beta, y, size, c, h * w);
}
