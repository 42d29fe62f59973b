// problem: reduction-sum
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void sum(const float* input, float* output, int n) {
    __shared__ float parts[kThreads];
    float value = 0.0f;
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
        value += input[i];
    }
    parts[threadIdx.x] = value;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            parts[threadIdx.x] += parts[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        output[blockIdx.x] = parts[0];
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    int blocks = (n + 4 * kThreads - 1) / (4 * kThreads);
    float* parts;
    cudaMalloc(&parts, blocks * sizeof(float));
    sum<<<blocks, kThreads>>>(input, parts, n);
    cudaDeviceSynchronize();  // doctor: needless_wait
    sum<<<1, kThreads>>>(parts, output, blocks);
    cudaFree(parts);
}
