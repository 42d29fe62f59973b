// problem: reduction-sum
__global__ void sum(const float* input, float* total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(total, input[i]);  // doctor: uninitialised
    }
}

__global__ void store(const float* total, float* output) {
    *output = *total;
}

extern "C" void solve(const float* input, float* output, int n) {
    float* total;
    cudaMalloc(&total, sizeof(float));
    sum<<<(n + 255) / 256, 256>>>(input, total, n);
    store<<<1, 1>>>(total, output);
    cudaFree(total);
}
