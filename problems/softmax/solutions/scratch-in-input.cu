// Cheating: the output is right, but the const is cast away and the exponentials are kept in the input.
// The caller's data is destroyed. Inputs are compared with the judge's own copy after every call.
#include <cuda_runtime.h>
#include <math.h>

__global__ void softmax(float* input, float* output, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    float* in = input + size_t(row) * cols;
    float* out = output + size_t(row) * cols;
    float maximum = -INFINITY;
    for (int col = 0; col < cols; ++col) {
        maximum = fmaxf(maximum, in[col]);
    }
    float sum = 0.0f;
    for (int col = 0; col < cols; ++col) {
        sum += in[col] = expf(in[col] - maximum);
    }
    for (int col = 0; col < cols; ++col) {
        out[col] = in[col] / sum;
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    softmax<<<(rows + 127) / 128, 128>>>(const_cast<float*>(input), output, rows, cols);
}
