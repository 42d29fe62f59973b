// problem: layer-norm
#include <cuda_runtime.h>

__global__ void normalise(const float* input, const float* gamma, const float* beta, float* output, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    const float* in = input + size_t(row) * cols;
    float* out = output + size_t(row) * cols;
    float sum = 0.0f, squares = 0.0f;
    for (int col = 0; col < cols; ++col) {
        sum += in[col];
        squares += in[col] * in[col];
    }
    float mean = sum / cols;
    float deviation = sqrtf(fmaxf(squares / cols - mean * mean, 0.0f) + 1e-5f);  // doctor: cancellation
    for (int col = 0; col < cols; ++col) {
        out[col] = (in[col] - mean) / deviation * gamma[col] + beta[col];
    }
}

extern "C" void solve(const float* input, const float* gamma, const float* beta, float* output, int rows, int cols) {
    normalise<<<(rows + 63) / 64, 64>>>(input, gamma, beta, output, rows, cols);
}
