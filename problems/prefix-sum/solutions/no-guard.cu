// Wrong: one block walks over the vector in steps of 256 and never asks whether the last step is a whole one.
// Past the end it reads what is not there and writes what is not its own.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void scan(const float* input, float* output, int n) {
    __shared__ float sums[kThreads];
    float before_block = 0.0f;
    for (size_t first = 0; first < n; first += kThreads) {
        sums[threadIdx.x] = input[first + threadIdx.x];
        __syncthreads();
        for (int distance = 1; distance < kThreads; distance *= 2) {
            float before = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0.0f;
            __syncthreads();
            sums[threadIdx.x] += before;
            __syncthreads();
        }
        output[first + threadIdx.x] = before_block + sums[threadIdx.x];
        before_block += sums[kThreads - 1];
        __syncthreads();
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    scan<<<1, kThreads>>>(input, output, n);
}
