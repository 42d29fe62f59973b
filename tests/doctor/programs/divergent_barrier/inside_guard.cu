// problem: matrix-transpose
__global__ void transpose(const float* input, float* output, int rows, int cols) {
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < cols && y < rows) {
        tile[threadIdx.y][threadIdx.x] = input[y * cols + x];
        __syncthreads();  // doctor: divergent_barrier
    }
    int row = blockIdx.y * 16 + threadIdx.x, col = blockIdx.x * 16 + threadIdx.y;
    __syncthreads();  // doctor: divergent_barrier
    if (row < rows && col < cols) {
        output[col * rows + row] = tile[threadIdx.x][threadIdx.y];
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    transpose<<<dim3((cols + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(input, output, rows, cols);
}
