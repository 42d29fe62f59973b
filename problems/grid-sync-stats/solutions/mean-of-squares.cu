// Wrong: the mean of the squares minus the square of the mean. Both are about 40,000, and float32 holds them to about 0.004. Their
// difference is about 4, so three digits remain. Subtract the mean, or something near it, before squaring.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kMostBlocks = 1024;

__device__ float sum, squares;
__device__ unsigned ticket;

__device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
    return value;
}

__global__ void statistics(const float* x, float* stats, int n) {
    float own_sum = 0.0f, own_squares = 0.0f;
    int step = gridDim.x * kThreads;
    for (long long i = blockIdx.x * kThreads + threadIdx.x; i < n; i += step) {
        float element = x[i];
        own_sum += element;
        own_squares += element * element;
    }
    float warp_sums = warp_sum(own_sum), warp_squares = warp_sum(own_squares);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&sum, warp_sums);
        atomicAdd(&squares, warp_squares);
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (atomicAdd(&ticket, 1) != gridDim.x - 1) return;
    __threadfence();
    float mean = sum / n;
    stats[0] = mean;
    stats[1] = squares / n - mean * mean;
    sum = squares = 0.0f;
    ticket = 0;
}

extern "C" void solve(const float* x, float* stats, int n) {
    int blocks = min((n - 1) / (8 * kThreads) + 1, kMostBlocks);
    statistics<<<blocks, kThreads>>>(x, stats, n);
}
