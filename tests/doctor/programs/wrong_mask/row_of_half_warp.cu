// problem: spmv-csr
__global__ void multiply(const int* start, const int* column, const float* value, const float* x, float* y, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
    int lane = threadIdx.x % 16;
    float sum = 0;
    if (row < rows) {
        for (int j = start[row] + lane; j < start[row + 1]; j += 16) {
            sum += value[j] * x[column[j]];
        }
    }
    for (int offset = 8; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(0xffffu, sum, offset);  // doctor: bad_mask
    }
    if (row < rows && lane == 0) {
        y[row] = sum;
    }
}

extern "C" void solve(const int* row_start, const int* column, const float* value, const float* x, float* y, int rows,
                      int columns, int nnz) {
    multiply<<<(rows + 7) / 8, 128>>>(row_start, column, value, x, y, rows);
}
