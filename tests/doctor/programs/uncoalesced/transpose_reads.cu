// problem: matrix-transpose
__global__ void transpose(const float* input, float* output, int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        output[i] = input[i % rows * cols + i / rows];  // doctor: uncoalesced
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    transpose<<<(rows * cols + 255) / 256, 256>>>(input, output, rows, cols);
}
