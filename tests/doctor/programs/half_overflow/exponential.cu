// problem: softmax
#include <cuda_fp16.h>

__global__ void softmax(const float* input, float* output, int cols) {
    const float* in = input + size_t(blockIdx.x) * cols;
    float maximum = -INFINITY, sum = 0;
    for (int i = 0; i < cols; ++i) {
        maximum = fmaxf(maximum, in[i]);
    }
    for (int i = 0; i < cols; ++i) {
        __half power = __float2half(expf(in[i] - maximum + 12.0f));  // doctor: half_overflow
        sum += __half2float(power);
    }
    for (int i = threadIdx.x; i < cols; i += 64) {
        output[size_t(blockIdx.x) * cols + i] = expf(in[i] - maximum + 12.0f) / sum;
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    softmax<<<rows, 64>>>(input, output, cols);
}
