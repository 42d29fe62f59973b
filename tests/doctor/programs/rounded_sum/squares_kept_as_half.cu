// problem: layer-norm
#include <cuda_fp16.h>

__global__ void normalise(const float* input, const float* gamma, const float* beta, float* output, int cols) {
    const float* in = input + size_t(blockIdx.x) * cols;
    float sum = 0.0f;
    for (int i = 0; i < cols; ++i) {
        sum += in[i];
    }
    float mean = sum / cols;
    __half squares = __float2half(0.0f);
    for (int i = 0; i < cols; ++i) {
        float off = in[i] - mean;
        squares = __float2half(__half2float(squares) + off * off);  // doctor: rounded_sum
    }
    float scale = rsqrtf(__half2float(squares) / cols + 1e-5f);
    for (int i = threadIdx.x; i < cols; i += 32) {
        output[size_t(blockIdx.x) * cols + i] = (in[i] - mean) * scale * gamma[i] + beta[i];
    }
}

extern "C" void solve(const float* input, const float* gamma, const float* beta, float* output, int rows, int cols) {
    normalise<<<rows, 32>>>(input, gamma, beta, output, cols);
}
