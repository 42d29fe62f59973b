// Wrong: gamma and beta have one entry per column, but are indexed like the matrix. The first row is
// right, every later one reads past the end of both arrays.
#include <cuda_runtime.h>

__global__ void layer_norm(const float* input, const float* gamma, const float* beta, float* output, int rows,
                           int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    const float* in = input + size_t(row) * cols;
    float* out = output + size_t(row) * cols;
    float sum = 0.0f;
    for (int col = 0; col < cols; ++col) {
        sum += in[col];
    }
    float mean = sum / cols;
    float squares = 0.0f;
    for (int col = 0; col < cols; ++col) {
        squares += (in[col] - mean) * (in[col] - mean);
    }
    float scale = rsqrtf(squares / cols + 1e-5f);
    for (int col = 0; col < cols; ++col) {
        size_t at = size_t(row) * cols + col;
        out[col] = (in[col] - mean) * scale * gamma[at] + beta[at];
    }
}

extern "C" void solve(const float* input, const float* gamma, const float* beta, float* output, int rows,
                      int cols) {
    layer_norm<<<(rows + 127) / 128, 128>>>(input, gamma, beta, output, rows, cols);
}
