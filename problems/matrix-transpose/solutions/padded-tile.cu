// A block transposes a 32 x 32 tile in shared memory, so that reads and writes both run along rows.
// Bound by memory bandwidth, like a copy. The 33rd column spreads a column of the tile over all 32 banks.
#include <cuda_runtime.h>

constexpr int kTile = 32;
constexpr int kThreadRows = 8;  // each thread moves four elements, whose loads are in flight together

__global__ void transpose(const float* __restrict__ input, float* __restrict__ output, int rows, int cols) {
    __shared__ float tile[kTile][kTile + 1];
    // Tiles are counted in one dimension, because gridDim.y ends at 65535.
    int tiles_across = (cols - 1) / kTile + 1;
    int first_row = static_cast<int>(blockIdx.x / tiles_across) * kTile;
    int first_col = static_cast<int>(blockIdx.x % tiles_across) * kTile;

    int col = first_col + threadIdx.x;
    for (int y = threadIdx.y; y < kTile; y += kThreadRows) {
        if (first_row + y < rows && col < cols) {
            tile[y][threadIdx.x] = input[size_t(first_row + y) * cols + col];
        }
    }
    __syncthreads();

    int row = first_row + threadIdx.x;  // the thread now runs along a row of the output
    for (int y = threadIdx.y; y < kTile; y += kThreadRows) {
        if (row < rows && first_col + y < cols) {
            output[size_t(first_col + y) * rows + row] = tile[threadIdx.x][y];
        }
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    size_t tiles_down = (rows - 1) / kTile + 1;
    size_t tiles_across = (cols - 1) / kTile + 1;
    dim3 threads(kTile, kThreadRows);
    transpose<<<static_cast<unsigned>(tiles_down * tiles_across), threads>>>(input, output, rows, cols);
}
