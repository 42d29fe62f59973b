// problem: matrix-transpose
__global__ void transpose(const float* input, float* output, int rows, int cols) {
    int x = blockIdx.x * 5 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x < cols && y < rows) {
        output[x * rows + y] = input[y * cols + x];
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    dim3 threads(5, 4);
    dim3 blocks((cols + 4) / 5, (rows + 3) / 4);
    transpose<<<blocks, threads>>>(input, output, rows, cols);  // doctor: low_occupancy
}
