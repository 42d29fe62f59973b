// problem: prefix-sum
__global__ void scan(const float* input, float* output, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += input[i];
        output[i] = sum;
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    float *first, *second;
    cudaMalloc(&first, n * sizeof(float));
    cudaMalloc(&second, n * sizeof(float));  // doctor: leak
    cudaMemcpy(first, input, n * sizeof(float), cudaMemcpyDeviceToDevice);
    scan<<<1, 1>>>(first, second, n);
    cudaMemcpy(output, second, n * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFree(first);
}
