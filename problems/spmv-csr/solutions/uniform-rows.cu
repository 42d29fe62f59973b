// Wrong: takes all rows to have nnz / rows entries and ignores row_start. That is another format, ELL, whose rows are padded to
// one length. In CSR, lengths differ.
#include <cuda_runtime.h>

__global__ void multiply(const int* row_start, const int* column, const float* value, const float* x, float* y,
                         int rows, int per_row) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    float sum = 0.0f;
    for (int j = row * per_row; j < (row + 1) * per_row; ++j) {
        sum += value[j] * x[column[j]];
    }
    y[row] = sum;
}

extern "C" void solve(const int* row_start, const int* column, const float* value, const float* x, float* y, int rows,
                      int columns, int nnz) {
    multiply<<<(rows + 127) / 128, 128>>>(row_start, column, value, x, y, rows, nnz / rows);
}
