// problem: layer-norm
#include <cuda_runtime.h>

__global__ void normalise(const float* input, const float* gamma, const float* beta, float* output, int cols) {
    __shared__ float sums[64], squares[64], shift, factor;
    const float* in = input + size_t(blockIdx.x) * cols;
    float* out = output + size_t(blockIdx.x) * cols;
    float own = 0.0f, own_squares = 0.0f;
    for (int col = threadIdx.x; col < cols; col += 64) {
        own += in[col];
        own_squares = fmaf(in[col], in[col], own_squares);
    }
    sums[threadIdx.x] = own;
    squares[threadIdx.x] = own_squares;
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0.0f, square = 0.0f;
        for (int i = 0; i < 64; ++i) {
            sum += sums[i];
            square += squares[i];
        }
        float variance = (square - sum * sum / cols) / cols;  // doctor: cancellation
        shift = sum / cols;
        factor = rsqrtf(variance + 1e-5f);
    }
    __syncthreads();
    for (int col = threadIdx.x; col < cols; col += 64) {
        out[col] = (in[col] - shift) * factor * gamma[col] + beta[col];
    }
}

extern "C" void solve(const float* input, const float* gamma, const float* beta, float* output, int rows, int cols) {
    normalise<<<rows, 64>>>(input, gamma, beta, output, cols);
}
