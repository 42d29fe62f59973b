// Wrong: the variance as E[x^2] - E[x]^2. With a mean of 64 and a deviation of 1 both terms are near
// 4096, where neighbouring floats are 1/2048 apart, and their difference is 1: three to four digits are
// left, fewer after a long sum. Subtract the mean first, then square.
#include <cuda_runtime.h>

__global__ void layer_norm(const float* input, const float* gamma, const float* beta, float* output, int rows,
                           int cols) {
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
    float scale = rsqrtf(fmaxf(squares / cols - mean * mean, 0.0f) + 1e-5f);
    for (int col = 0; col < cols; ++col) {
        out[col] = (in[col] - mean) * scale * gamma[col] + beta[col];
    }
}

extern "C" void solve(const float* input, const float* gamma, const float* beta, float* output, int rows,
                      int cols) {
    layer_norm<<<(rows + 127) / 128, 128>>>(input, gamma, beta, output, rows, cols);
}
