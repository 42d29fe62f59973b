// problem: softmax
#include <cuda_runtime.h>
#include <math.h>

__device__ float warp_reduce(float value, bool greatest) {
    for (int offset = 16; offset > 0; offset /= 2) {
        float other = __shfl_xor_sync(0xffffffffu, value, offset);
        value = greatest ? fmaxf(value, other) : value + other;
    }
    return value;
}

__global__ void largest(const float* input, float* most, int cols) {
    float value = -INFINITY;
    for (int col = threadIdx.x; col < cols; col += 32) {
        value = fmaxf(value, input[size_t(blockIdx.x) * cols + col]);
    }
    value = warp_reduce(value, true);
    if (threadIdx.x == 0) {
        most[blockIdx.x] = value;
    }
}

__global__ void divide(const float* input, const float* most, float* output, int cols) {
    const float* in = input + size_t(blockIdx.x) * cols;
    float sum = 0.0f;
    for (int col = threadIdx.x; col < cols; col += 32) {
        sum += expf(in[col] - most[blockIdx.x]);
    }
    sum = warp_reduce(sum, false);
    for (int col = threadIdx.x; col < cols; col += 32) {
        output[size_t(blockIdx.x) * cols + col] = expf(in[col] - most[blockIdx.x]) / sum;
    }
}

static bool finished() {
    return cudaDeviceSynchronize() == cudaSuccess;  // doctor: needless_wait
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    float* most;
    cudaMalloc(&most, rows * sizeof(float));
    largest<<<rows, 32>>>(input, most, cols);
    if (finished()) {
        divide<<<rows, 32>>>(input, most, output, cols);
    }
    finished();
    cudaFree(most);
}
