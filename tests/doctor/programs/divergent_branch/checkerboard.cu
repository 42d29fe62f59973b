// problem: matrix-transpose
__global__ void transpose(const float* input, float* output, int rows, int cols) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    int row = blockIdx.y * 32 + threadIdx.x, col = blockIdx.x * 32 + threadIdx.y;
    if (x < cols && y < rows) {
        tile[threadIdx.y][threadIdx.x] = input[y * cols + x];
    }
    __syncthreads();
    if (row >= rows || col >= cols) {
        return;
    }
    float value = tile[threadIdx.x][threadIdx.y];
    if ((threadIdx.x + threadIdx.y) % 2 == 0) {  // doctor: divergent_branch
        for (int i = 0; i < 6; ++i) {
            value = fminf(value * 1.0f, value + 0.0f * i);
        }
        output[col * rows + row] = value;
    } else {
        for (int i = 0; i < 6; ++i) {
            value = fmaxf(value + 0.0f * i, value * 1.0f);
        }
        output[col * rows + row] = value;
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    transpose<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 32)>>>(input, output, rows, cols);
}
