// problem: matrix-transpose
__global__ void transpose(const float* input, float* output, int rows, int cols) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += 8) {
        if (x < cols && blockIdx.y * 32 + j < rows) {
            tile[j][threadIdx.x] = input[(blockIdx.y * 32 + j) * cols + x];
        }
    }
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += 8) {
        if (row < rows && blockIdx.x * 32 + j < cols) {
            output[(blockIdx.x * 32 + j) * rows + row] = tile[threadIdx.x][j];  // doctor: bank_conflict
        }
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    transpose<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 8)>>>(input, output, rows, cols);
}
