// problem: reduction-sum
__global__ void sum(const float* input, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(output, input[i]);  // doctor: contended_atomic
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    cudaMemset(output, 0, sizeof(float));
    sum<<<(n + 255) / 256, 256>>>(input, output, n);
}
