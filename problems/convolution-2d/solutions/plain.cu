// One thread per output, everything from global memory.
//
// What bounds it: load instructions. Each multiply-add needs an input and a kernel element; both nearly
// always come from L1, where neighbouring threads meet, but the load units are asked twice per
// multiply-add and can serve a fraction of what the arithmetic units could use.
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
