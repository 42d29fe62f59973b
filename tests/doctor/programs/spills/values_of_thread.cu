// problem: layer-norm
#include <cuda_runtime.h>

constexpr int kThreads = 512, kEach = 64;

__device__ float block_sum(float value) {
    __shared__ float parts[kThreads / 32];
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, offset);
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = value;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < kThreads / 32; ++i) {
        sum += parts[i];
    }
    return sum;
}

__global__ void __launch_bounds__(kThreads, 3)
normalise(const float* input, const float* gamma, const float* beta, float* output, int cols) {  // doctor: spills
    float row[kEach];
    float sum = 0.0f, squares = 0.0f;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
        int col = i * kThreads + threadIdx.x;
        row[i] = col < cols ? input[size_t(blockIdx.x) * cols + col] : 0.0f;
        sum += row[i];
    }
    float mean = block_sum(sum) / cols;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
        row[i] -= mean;
        squares += i * kThreads + threadIdx.x < cols ? row[i] * row[i] : 0.0f;
    }
    float scale = rsqrtf(block_sum(squares) / cols + 1e-5f);
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
        int col = i * kThreads + threadIdx.x;
        if (col < cols) {
            output[size_t(blockIdx.x) * cols + col] = row[i] * scale * gamma[col] + beta[col];
        }
    }
}

extern "C" void solve(const float* input, const float* gamma, const float* beta, float* output, int rows, int cols) {
    normalise<<<rows, kThreads>>>(input, gamma, beta, output, cols);
}
