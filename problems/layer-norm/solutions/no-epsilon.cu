// Wrong: epsilon is left out. A row whose values are all equal, such as a row of one column, has
// variance zero; then (x - mean) / 0 is NaN where beta is expected.
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
    float scale = rsqrtf(squares / cols);
    for (int col = 0; col < cols; ++col) {
        out[col] = (in[col] - mean) * scale * gamma[col] + beta[col];
    }
}

extern "C" void solve(const float* input, const float* gamma, const float* beta, float* output, int rows,
                      int cols) {
    layer_norm<<<(rows + 127) / 128, 128>>>(input, gamma, beta, output, rows, cols);
}
