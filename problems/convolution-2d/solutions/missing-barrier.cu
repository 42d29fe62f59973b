// Wrong: between filling the shared tile and using it there is no __syncthreads(). A thread's own
// element is there, but most of those that it needs were loaded by other warps, or will be.
#include <cuda_runtime.h>

constexpr int kSide = 16;

__global__ void convolve(const float* input, const float* kernel, float* output, int rows, int cols,
                         int kernel_rows, int kernel_cols, int out_rows, int out_cols) {
    extern __shared__ float tile[];
    int tile_rows = kSide + kernel_rows - 1, tile_cols = kSide + kernel_cols - 1;
    int first_row = blockIdx.y * kSide, first_col = blockIdx.x * kSide;
    for (int i = threadIdx.y; i < tile_rows; i += kSide) {
        for (int j = threadIdx.x; j < tile_cols; j += kSide) {
            int row = first_row + i, col = first_col + j;
            tile[i * tile_cols + j] = row < rows && col < cols ? input[size_t(row) * cols + col] : 0.0f;
        }
    }

    int row = first_row + threadIdx.y, col = first_col + threadIdx.x;
    if (row >= out_rows || col >= out_cols) {
        return;
    }
    float sum = 0.0f;
    for (int i = 0; i < kernel_rows; ++i) {
        for (int j = 0; j < kernel_cols; ++j) {
            sum += tile[(threadIdx.y + i) * tile_cols + threadIdx.x + j] * kernel[i * kernel_cols + j];
        }
    }
    output[size_t(row) * out_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int rows, int cols,
                      int kernel_rows, int kernel_cols) {
    int out_rows = rows - kernel_rows + 1, out_cols = cols - kernel_cols + 1;
    dim3 threads(kSide, kSide);
    dim3 blocks((out_cols + kSide - 1) / kSide, (out_rows + kSide - 1) / kSide);
    size_t tile_bytes = size_t(kSide + kernel_rows - 1) * (kSide + kernel_cols - 1) * sizeof(float);
    convolve<<<blocks, threads, tile_bytes>>>(input, kernel, output, rows, cols, kernel_rows, kernel_cols,
                                              out_rows, out_cols);
}
