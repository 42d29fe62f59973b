// problem: matrix-transpose
__global__ void transpose(const float* input, float* turned, int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        turned[i % cols * rows + i / cols] = input[i];  // doctor: stream_hazard
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    float* turned;
    size_t bytes = size_t(rows) * cols * sizeof(float);
    cudaMalloc(&turned, bytes);
    cudaMemset(turned, 0, bytes);
    cudaDeviceSynchronize();
    cudaStream_t one, two;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    transpose<<<(rows * cols + 255) / 256, 256, 0, one>>>(input, turned, rows, cols);
    cudaMemcpyAsync(output, turned, bytes, cudaMemcpyDeviceToDevice, two);
    cudaDeviceSynchronize();
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    cudaFree(turned);
}
