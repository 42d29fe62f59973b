// problem: softmax
#include <cuda_fp16.h>

__global__ void softmax(const float* input, float* output, int cols) {
    const float* in = input + size_t(blockIdx.x) * cols;
    float maximum = -INFINITY;
    for (int i = 0; i < cols; ++i) {
        maximum = fmaxf(maximum, in[i]);
    }
    __half sum = __float2half(0.0f);
    for (int i = 0; i < cols; ++i) {
        sum = __hadd(sum, __float2half(expf(in[i] - maximum)));  // doctor: rounded_sum
    }
    for (int i = threadIdx.x; i < cols; i += 64) {
        output[size_t(blockIdx.x) * cols + i] = expf(in[i] - maximum) / __half2float(sum);
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    softmax<<<rows, 64>>>(input, output, cols);
}
