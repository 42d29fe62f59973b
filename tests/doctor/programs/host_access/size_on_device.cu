// problem: spmv-csr
__global__ void multiply(const int* start, const int* column, const float* value, const float* x, float* y, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int j = start[row]; j < start[row + 1]; ++j) {
            sum += value[j] * x[column[j]];
        }
        y[row] = sum;
    }
}

extern "C" void solve(const int* row_start, const int* column, const float* value, const float* x, float* y, int rows,
                      int columns, int nnz) {
    int entries = row_start[rows];  // doctor: host_access
    int threads = entries > 1000 ? 256 : 64;
    multiply<<<(rows + threads - 1) / threads, threads>>>(row_start, column, value, x, y, rows);
}
