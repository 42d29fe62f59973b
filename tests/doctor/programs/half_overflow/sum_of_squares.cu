// problem: layer-norm
#include <cuda_fp16.h>

__global__ void normalise(const float* input, const float* gamma, const float* beta, float* output, int cols) {
    const float* in = input + size_t(blockIdx.x) * cols;
    if (threadIdx.x != 0) {
        return;
    }
    float sum = 0;
    for (int i = 0; i < cols; ++i) {
        sum += in[i];
    }
    float mean = sum / cols;
    __half square = __float2half(0.0f);
    for (int i = 0; i < cols; ++i) {
        float off = 300.0f * (in[i] - mean);
        square = __hadd(square, __float2half(off * off));  // doctor: half_overflow
    }
    float scale = rsqrtf(__half2float(square) / 90000.0f / cols + 1e-5f);
    for (int i = 0; i < cols; ++i) {
        output[size_t(blockIdx.x) * cols + i] = (in[i] - mean) * scale * gamma[i] + beta[i];
    }
}

extern "C" void solve(const float* input, const float* gamma, const float* beta, float* output, int rows, int cols) {
    normalise<<<rows, 32>>>(input, gamma, beta, output, cols);
}
