// Wrong: one thread per entry, which finds its row by binary search and adds to y without an atomic operation. Entries of one
// row are handled at the same time: all read the same old sum, and most additions are lost.
#include <cuda_runtime.h>

__global__ void multiply(const int* row_start, const int* column, const float* value, const float* x, float* y,
                         int rows, int nnz) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= nnz) {
        return;
    }
    int row = 0, above = rows;
    while (above - row > 1) {
        int middle = row + (above - row) / 2;
        if (row_start[middle] <= j) {
            row = middle;
        } else {
            above = middle;
        }
    }
    y[row] += value[j] * x[column[j]];
}

extern "C" void solve(const int* row_start, const int* column, const float* value, const float* x, float* y, int rows,
                      int columns, int nnz) {
    cudaMemsetAsync(y, 0, rows * sizeof(float));
    multiply<<<(nnz + 127) / 128, 128>>>(row_start, column, value, x, y, rows, nnz);
}
