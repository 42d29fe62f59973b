// problem: matrix-transpose
__global__ void transpose(const float* input, float* output, int rows, int cols) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < cols && y < rows) {
        float value = input[y * cols + x];
        output[x * cols + y] = value;  // doctor: out_of_bounds
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    dim3 threads(16, 16);
    transpose<<<dim3((cols + 15) / 16, (rows + 15) / 16), threads>>>(input, output, rows, cols);
}
