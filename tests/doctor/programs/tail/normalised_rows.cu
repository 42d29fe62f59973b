// problem: layer-norm
#include <cuda_runtime.h>

constexpr int kThreads = 128, kKept = 15000;

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
    return parts[0] + parts[1] + parts[2] + parts[3];
}

__global__ void normalise(const float* input, const float* gamma, const float* beta, float* output, int cols) {
    extern __shared__ float row[];
    const float* in = input + size_t(blockIdx.x) * cols;
    float sum = 0.0f, squares = 0.0f;
    for (int col = threadIdx.x; col < cols; col += kThreads) {
        row[col] = in[col];
        sum += in[col];
    }
    float mean = block_sum(sum) / cols;
    for (int col = threadIdx.x; col < cols; col += kThreads) {
        squares += (row[col] - mean) * (row[col] - mean);
    }
    float scale = rsqrtf(block_sum(squares) / cols + 1e-5f);
    for (int col = threadIdx.x; col < cols; col += kThreads) {
        output[size_t(blockIdx.x) * cols + col] = (row[col] - mean) * scale * gamma[col] + beta[col];
    }
}

extern "C" void solve(const float* input, const float* gamma, const float* beta, float* output, int rows, int cols) {
    int bytes = kKept * sizeof(float);
    cudaFuncSetAttribute(normalise, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    normalise<<<rows, kThreads, bytes>>>(input, gamma, beta, output, cols);  // doctor: tail
}
