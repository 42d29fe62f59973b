// Wrong: adds to an output that nothing has set to zero. Memory that is fresh from the driver often is zero, so this works
// until it is used again.
#include <cuda_runtime.h>

constexpr int kThreads = 1024;

__global__ void sum(const float* input, float* output, int n) {
    __shared__ float partial[kThreads];
    size_t i = size_t(blockIdx.x) * kThreads + threadIdx.x;
    partial[threadIdx.x] = i < n ? input[i] : 0.0f;
    __syncthreads();
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(output, partial[0]);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    sum<<<(n - 1) / kThreads + 1, kThreads>>>(input, output, n);
}
