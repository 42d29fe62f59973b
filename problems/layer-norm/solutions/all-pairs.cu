// Too slow: one thread does everything, the variance is taken from all pairs, (x_i - x_j)^2 / 2 on
// average, which is right and needs no mean, and both are computed again for every element. That is
// rows * cols^3 steps in sequence; rows * cols in parallel suffice.
#include <cuda_runtime.h>

__global__ void layer_norm(const float* input, const float* gamma, const float* beta, float* output, int rows,
                           int cols) {
    for (int row = 0; row < rows; ++row) {
        const float* in = input + size_t(row) * cols;
        for (int col = 0; col < cols; ++col) {
            float deviation = 0.0f, squares = 0.0f;
            for (int i = 0; i < cols; ++i) {
                deviation += in[col] - in[i];
                for (int j = 0; j < cols; ++j) {
                    squares += (in[i] - in[j]) * (in[i] - in[j]) / 2;
                }
            }
            float variance = squares / cols / cols;
            output[size_t(row) * cols + col] =
                deviation / cols * rsqrtf(variance + 1e-5f) * gamma[col] + beta[col];
        }
    }
}

extern "C" void solve(const float* input, const float* gamma, const float* beta, float* output, int rows,
                      int cols) {
    layer_norm<<<1, 1>>>(input, gamma, beta, output, rows, cols);
}
