// Wrong: off by one. row_start[row + 1] is the first entry of the next row, so it is excluded. With <=, every row adds one
// product too many, and the last row reads past the end of both arrays.
#include <cuda_runtime.h>

__global__ void multiply(const int* row_start, const int* column, const float* value, const float* x, float* y,
                         int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    float sum = 0.0f;
    for (int j = row_start[row]; j <= row_start[row + 1]; ++j) {
        sum += value[j] * x[column[j]];
    }
    y[row] = sum;
}

extern "C" void solve(const int* row_start, const int* column, const float* value, const float* x, float* y, int rows,
                      int columns, int nnz) {
    multiply<<<(rows + 127) / 128, 128>>>(row_start, column, value, x, y, rows);
}
