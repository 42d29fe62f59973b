// Wrong: each block stores its sum in output[blockIdx.x], as if the output had room for all of them.
// It has room for one float, so the second block already writes past its end.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void sum(const float* input, float* sums, int n) {
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
        sums[blockIdx.x] = partial[0];
    }
}

__global__ void sum_up(float* sums, int count) {
    for (int i = 1; i < count; ++i) {
        sums[0] += sums[i];
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    int blocks = (n - 1) / kThreads + 1;
    sum<<<blocks, kThreads>>>(input, output, n);
    sum_up<<<1, 1>>>(output, blocks);
}
