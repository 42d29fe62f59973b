// Wrong: `row > rows` should be `row >= rows`. The thread after the last row reads past the end of the
// input. On a GPU that may go unnoticed until the next page is not mapped.
#include <cuda_runtime.h>
#include <math.h>

__global__ void softmax(const float* input, float* output, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row > rows) {
        return;
    }
    const float* in = input + size_t(row) * cols;
    float* out = output + size_t(row) * cols;
    float maximum = -INFINITY;
    for (int col = 0; col < cols; ++col) {
        maximum = fmaxf(maximum, in[col]);
    }
    float sum = 0.0f;
    for (int col = 0; col < cols; ++col) {
        sum += expf(in[col] - maximum);
    }
    for (int col = 0; col < cols; ++col) {
        out[col] = expf(in[col] - maximum) / sum;
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    softmax<<<(rows + 127) / 128, 128>>>(input, output, rows, cols);
}
