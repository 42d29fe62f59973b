// Wrong: there is no __syncthreads() between filling the tile and reading it. Each thread reads an element that
// another one has to store first, and finds whatever the shared memory held before.
#include <cuda_runtime.h>

constexpr int kTile = 32;

__global__ void transpose(const float* input, float* output, int rows, int cols) {
    __shared__ float tile[kTile][kTile + 1];
    int tiles_across = (cols - 1) / kTile + 1;
    int first_row = static_cast<int>(blockIdx.x / tiles_across) * kTile;
    int first_col = static_cast<int>(blockIdx.x % tiles_across) * kTile;
    int row = first_row + threadIdx.y;
    int col = first_col + threadIdx.x;
    if (row < rows && col < cols) {
        tile[threadIdx.y][threadIdx.x] = input[size_t(row) * cols + col];
    }
    // __syncthreads() belongs here.
    row = first_row + threadIdx.x;
    col = first_col + threadIdx.y;
    if (row < rows && col < cols) {
        output[size_t(col) * rows + row] = tile[threadIdx.x][threadIdx.y];
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    size_t tiles_down = (rows - 1) / kTile + 1;
    size_t tiles_across = (cols - 1) / kTile + 1;
    transpose<<<static_cast<unsigned>(tiles_down * tiles_across), dim3(kTile, kTile)>>>(input, output, rows, cols);
}
