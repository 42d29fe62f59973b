// Wrong: the loops take four columns at a time and never handle the remaining columns, so rows whose length
// is not a multiple of 4 are wrong. Unrolled loops need a tail.
#include <cuda_runtime.h>
#include <math.h>

__global__ void softmax(const float* input, float* output, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    const float* in = input + size_t(row) * cols;
    float* out = output + size_t(row) * cols;
    float maximum = -INFINITY;
    for (int col = 0; col + 3 < cols; col += 4) {
        maximum = fmaxf(maximum, fmaxf(fmaxf(in[col], in[col + 1]), fmaxf(in[col + 2], in[col + 3])));
    }
    float sum = 0.0f;
    for (int col = 0; col + 3 < cols; col += 4) {
        for (int i = 0; i < 4; ++i) {
            sum += expf(in[col + i] - maximum);
        }
    }
    for (int col = 0; col + 3 < cols; col += 4) {
        for (int i = 0; i < 4; ++i) {
            out[col + i] = expf(in[col + i] - maximum) / sum;
        }
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    softmax<<<(rows + 127) / 128, 128>>>(input, output, rows, cols);
}
