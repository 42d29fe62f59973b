// problem: reduction-sum
__global__ void sum(const float* input, float* output, int n) {
    __shared__ float total;
    if (threadIdx.x == 0) {
        total = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&total, input[i]);  // doctor: contended_atomic
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(output, total);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    cudaMemset(output, 0, sizeof(float));
    sum<<<(n + 1023) / 1024, 256>>>(input, output, n);
}
