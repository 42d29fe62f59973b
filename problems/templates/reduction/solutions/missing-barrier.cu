// Wrong: no __syncthreads() between the levels of the tree, so a thread adds slots that others have not finished.
// A GPU may get away with it, since warps often run in step.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void sum_squares(const float* input, float* output, int n) {
    __shared__ float partial[kThreads];
    int i = blockIdx.x * kThreads + threadIdx.x;
    float x = i < n ? input[i] : 0.0f;
    partial[threadIdx.x] = x * x;
    for (int reach = kThreads / 2; reach > 0; reach /= 2) {
        if (threadIdx.x < reach) {
            partial[threadIdx.x] += partial[threadIdx.x + reach];
        }
    }
    if (threadIdx.x == 0) {
        atomicAdd(output, partial[0]);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    cudaMemsetAsync(output, 0, sizeof(float));
    sum_squares<<<(n + kThreads - 1) / kThreads, kThreads>>>(input, output, n);
}
