// Wrong: off by one. There are rows - kernel_rows + 1 positions in each column; the guard forgets the +
// 1, so the last row and column of the output keep what they held before.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int cols, int kernel_rows,
                         int kernel_cols, int out_rows, int out_cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= out_rows - 1 || col >= out_cols - 1) {
        return;
    }
    float sum = 0.0f;
    for (int i = 0; i < kernel_rows; ++i) {
        for (int j = 0; j < kernel_cols; ++j) {
            sum += input[size_t(row + i) * cols + col + j] * kernel[i * kernel_cols + j];
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
