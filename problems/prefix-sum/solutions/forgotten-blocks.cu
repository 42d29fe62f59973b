// Wrong: each block scans its own 512 elements and no block adds the sum of the blocks before it.
// Right for a single block, which is where such code gets tried.
#include <cuda_runtime.h>

constexpr int kThreads = 512;

__global__ void scan(const float* input, float* output, int n) {
    __shared__ float sums[kThreads];
    size_t i = size_t(blockIdx.x) * kThreads + threadIdx.x;
    sums[threadIdx.x] = i < n ? input[i] : 0.0f;
    __syncthreads();
    for (int distance = 1; distance < kThreads; distance *= 2) {
        float before = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0.0f;
        __syncthreads();
        sums[threadIdx.x] += before;
        __syncthreads();
    }
    if (i < n) {
        output[i] = sums[threadIdx.x];
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    scan<<<(n - 1) / kThreads + 1, kThreads>>>(input, output, n);
}
