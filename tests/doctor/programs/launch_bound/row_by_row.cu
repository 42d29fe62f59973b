// problem: matrix-transpose
__global__ void copy_row(const float* input, float* output, int rows, int cols, int row) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        output[col * rows + row] = input[row * cols + col];
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    for (int row = 0; row < rows; ++row) {
        copy_row<<<(cols + 127) / 128, 128>>>(input, output, rows, cols, row);  // doctor: launch_bound
    }
}
