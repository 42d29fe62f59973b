// Wrong: the y direction of the grid counts the tiles along the rows, and gridDim.y is at most 65,535. A matrix with more
// than 2,097,120 rows needs more tiles than that, so the launch fails and the output is never written. The launch
// reports this only to programs that ask, and a judge without such a tall matrix accepts this. In the x direction, a
// grid can have 2,147,483,647 blocks.
#include <cuda_runtime.h>

constexpr int kTile = 32;

__global__ void transpose(const float* input, float* output, int rows, int cols) {
    __shared__ float tile[kTile][kTile + 1];
    int row = blockIdx.y * kTile + threadIdx.y;
    int col = blockIdx.x * kTile + threadIdx.x;
    if (row < rows && col < cols) {
        tile[threadIdx.y][threadIdx.x] = input[size_t(row) * cols + col];
    }
    __syncthreads();
    row = blockIdx.y * kTile + threadIdx.x;  // the thread now runs along a row of the output
    col = blockIdx.x * kTile + threadIdx.y;
    if (row < rows && col < cols) {
        output[size_t(col) * rows + row] = tile[threadIdx.x][threadIdx.y];
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    dim3 grid((cols - 1) / kTile + 1, (rows - 1) / kTile + 1);
    transpose<<<grid, dim3(kTile, kTile)>>>(input, output, rows, cols);
}
