// Wrong: the grid is rounded up to whole tiles of 16 x 16, and nothing stops the threads beyond the edge.
// They overwrite elements of the next row, and at the end they leave both arrays.
#include <cuda_runtime.h>

__global__ void transpose(const float* input, float* output, int rows, int cols) {
    size_t col = blockIdx.x * 16 + threadIdx.x;
    size_t row = blockIdx.y * 16 + threadIdx.y;
    output[col * rows + row] = input[row * cols + col];
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    dim3 threads(16, 16);
    dim3 blocks((cols + 15) / 16, (rows + 15) / 16);
    transpose<<<blocks, threads>>>(input, output, rows, cols);
}
