// Wrong: off by one. The squares are divided by cols - 1, the unbiased estimate that statistics
// packages use by default; layer normalisation divides by cols. Long rows hide it: at 1024 columns the
// results differ by 0.05 %. A row of one column divides by zero.
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
    float scale = rsqrtf(squares / (cols - 1) + 1e-5f);
    for (int col = 0; col < cols; ++col) {
        out[col] = (in[col] - mean) * scale * gamma[col] + beta[col];
    }
}

extern "C" void solve(const float* input, const float* gamma, const float* beta, float* output, int rows,
                      int cols) {
    layer_norm<<<(rows + 127) / 128, 128>>>(input, gamma, beta, output, rows, cols);
}
