// Wrong: the kernel is walked backwards. That is convolution as mathematics defines it; what signal
// libraries and neural networks call convolution, and what is asked for here, is correlation: no flip.
// Symmetric kernels, such as a blur, cannot tell the two apart.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int cols, int kernel_rows,
                         int kernel_cols, int out_rows, int out_cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= out_rows || col >= out_cols) {
        return;
    }
    float sum = 0.0f;
    for (int i = 0; i < kernel_rows; ++i) {
        for (int j = 0; j < kernel_cols; ++j) {
            sum += input[size_t(row + i) * cols + col + j] *
                   kernel[(kernel_rows - 1 - i) * kernel_cols + kernel_cols - 1 - j];
        }
    }
    output[size_t(row) * out_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int rows, int cols,
                      int kernel_rows, int kernel_cols) {
    int out_rows = rows - kernel_rows + 1, out_cols = cols - kernel_cols + 1;
    dim3 threads(32, 8);
    dim3 blocks((out_cols + 31) / 32, (out_rows + 7) / 8);
    convolve<<<blocks, threads>>>(input, kernel, output, cols, kernel_rows, kernel_cols, out_rows, out_cols);
}
