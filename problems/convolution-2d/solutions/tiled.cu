// Tile with halo in shared memory, kernel in constant memory, eight outputs per thread.
//
// What bounds it: DRAM for small kernels, the multiply-add units for large ones. A block makes 64 x 32
// outputs from a tile of (64 + kernel_rows - 1) x (32 + kernel_cols - 1) inputs, each loaded once. All
// threads of a warp use the same kernel element at the same time, which is what constant memory serves
// in one cycle. A thread owns eight outputs below each other and slides a window of eight inputs down
// the tile: one shared load and one constant load feed eight multiply-adds.
#include <cuda_runtime.h>

constexpr int kWidth = 32;
constexpr int kGroups = 8;  // threads of a block in the vertical
constexpr int kPerThread = 8;
constexpr int kHeight = kGroups * kPerThread;
constexpr int kConstantFloats = 64 * 64;  // the largest kernel of the task: 16 of the 64 KiB that there are

__constant__ float constant_kernel[kConstantFloats];

__global__ void convolve(const float* input, float* output, int rows, int cols, int kernel_rows,
                         int kernel_cols, int out_rows, int out_cols) {
    extern __shared__ float tile[];
    int tile_cols = kWidth + kernel_cols - 1, tile_rows = kHeight + kernel_rows - 1;
    int first_row = blockIdx.y * kHeight, first_col = blockIdx.x * kWidth;

    for (int i = threadIdx.y; i < tile_rows; i += kGroups) {
        for (int j = threadIdx.x; j < tile_cols; j += kWidth) {
            int row = first_row + i, col = first_col + j;
            tile[i * tile_cols + j] = row < rows && col < cols ? input[size_t(row) * cols + col] : 0.0f;
        }
    }
    __syncthreads();

    float sums[kPerThread] = {};
    for (int j = 0; j < kernel_cols; ++j) {
        const float* column = tile + threadIdx.y * kPerThread * tile_cols + threadIdx.x + j;
        float window[kPerThread];
#pragma unroll
        for (int p = 0; p < kPerThread - 1; ++p) {
            window[p + 1] = column[p * tile_cols];
        }
        column += (kPerThread - 1) * tile_cols;
        for (int i = 0; i < kernel_rows; ++i) {
            float weight = constant_kernel[i * kernel_cols + j];
#pragma unroll
            for (int p = 0; p < kPerThread - 1; ++p) {
                window[p] = window[p + 1];
            }
            window[kPerThread - 1] = column[i * tile_cols];
#pragma unroll
            for (int p = 0; p < kPerThread; ++p) {
                sums[p] += window[p] * weight;
            }
        }
    }

    int col = first_col + threadIdx.x;
#pragma unroll
    for (int p = 0; p < kPerThread; ++p) {
        int row = first_row + threadIdx.y * kPerThread + p;
        if (row < out_rows && col < out_cols) {
            output[size_t(row) * out_cols + col] = sums[p];
        }
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int rows, int cols,
                      int kernel_rows, int kernel_cols) {
    int out_rows = rows - kernel_rows + 1, out_cols = cols - kernel_cols + 1;
    dim3 threads(kWidth, kGroups);
    size_t kernel_floats = size_t(kernel_rows) * kernel_cols;
    // The largest kernel needs 127 x 95 floats, which is just within the 48 KiB that every block may have.
    size_t tile_bytes = size_t(kHeight + kernel_rows - 1) * (kWidth + kernel_cols - 1) * sizeof(float);
    cudaMemcpyToSymbolAsync(constant_kernel, kernel, kernel_floats * sizeof(float), 0,
                            cudaMemcpyDeviceToDevice);
    dim3 blocks((out_cols + kWidth - 1) / kWidth, (out_rows + kHeight - 1) / kHeight);
    convolve<<<blocks, threads, tile_bytes>>>(input, output, rows, cols, kernel_rows, kernel_cols, out_rows,
                                              out_cols);
}
