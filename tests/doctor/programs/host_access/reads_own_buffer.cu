// problem: reduction-sum
__global__ void sum(const float* input, float* total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(total, input[i]);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    float* total;
    cudaMalloc(&total, sizeof(float));
    cudaMemset(total, 0, sizeof(float));
    sum<<<(n + 255) / 256, 256>>>(input, total, n);
    cudaDeviceSynchronize();
    float value = *total;  // doctor: host_access
    cudaMemcpy(output, &value, sizeof(float), cudaMemcpyHostToDevice);
    cudaFree(total);
}
