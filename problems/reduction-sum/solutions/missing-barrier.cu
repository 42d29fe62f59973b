// Wrong: no __syncthreads() between storing the elements and the levels of the tree. A thread adds slots
// that other threads have not filled or not finished, since nothing orders one warp behind another.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void sum(const float* input, float* output, int n) {
    __shared__ float partial[kThreads];
    size_t i = size_t(blockIdx.x) * kThreads + threadIdx.x;
    partial[threadIdx.x] = i < n ? input[i] : 0.0f;
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        }
    }
    if (threadIdx.x == 0) {
        atomicAdd(output, partial[0]);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    cudaMemset(output, 0, sizeof(float));
    sum<<<(n - 1) / kThreads + 1, kThreads>>>(input, output, n);
}
