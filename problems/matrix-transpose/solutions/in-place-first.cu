// Breaks a rule: the output is right, but each element is taken out of the input as it is moved.
// A program that may change the input can make any answer look right, so `const` arrays must come back as they were.
#include <cuda_runtime.h>

__global__ void move_elements(float* input, float* output, int rows, int cols) {
    size_t at = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at < size_t(rows) * cols) {
        output[at % cols * rows + at / cols] = input[at];
        input[at] = 0.0f;
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    size_t blocks = (size_t(rows) * cols + 255) / 256;
    move_elements<<<static_cast<unsigned>(blocks), 256>>>(const_cast<float*>(input), output, rows, cols);
}
