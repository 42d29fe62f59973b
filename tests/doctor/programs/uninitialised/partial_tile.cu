// problem: reduction-sum
__global__ void sum(const float* input, float* output, int n) {
    __shared__ float tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) {
        tile[threadIdx.x] = input[i];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int j = 0; j < 256; ++j) {
            sum += tile[j];  // doctor: uninitialised
        }
        atomicAdd(output, sum);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    cudaMemset(output, 0, sizeof(float));
    sum<<<(n + 255) / 256, 256>>>(input, output, n);
}
