// problem: softmax
#include <cuda_runtime.h>
#include <math.h>

constexpr int kThreads = 128, kKept = 16384;

__device__ float reduce(float value, bool greatest) {
    __shared__ float parts[kThreads];
    parts[threadIdx.x] = value;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            float other = parts[threadIdx.x + half];
            parts[threadIdx.x] = greatest ? fmaxf(parts[threadIdx.x], other) : parts[threadIdx.x] + other;
        }
        __syncthreads();
    }
    float result = parts[0];
    __syncthreads();
    return result;
}

// Keeps the exponentials of up to kKept elements.
__global__ void softmax(const float* input, float* output, int cols) {
    extern __shared__ float kept[];
    const float* in = input + size_t(blockIdx.x) * cols;
    float* out = output + size_t(blockIdx.x) * cols;
    float most = -INFINITY, sum = 0.0f;
    for (int col = threadIdx.x; col < cols; col += kThreads) {
        most = fmaxf(most, in[col]);
    }
    most = reduce(most, true);
    for (int col = threadIdx.x; col < cols; col += kThreads) {
        float power = expf(in[col] - most);
        if (col < kKept) {
            kept[col] = power;
        }
        sum += power;
    }
    sum = reduce(sum, false);
    for (int col = threadIdx.x; col < cols; col += kThreads) {
        out[col] = (col < kKept ? kept[col] : expf(in[col] - most)) / sum;
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    int bytes = kKept * sizeof(float);
    cudaFuncSetAttribute(softmax, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    softmax<<<rows, kThreads, bytes>>>(input, output, cols);  // doctor: tail
}
