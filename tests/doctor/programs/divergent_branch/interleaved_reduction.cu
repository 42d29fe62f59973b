// problem: reduction-sum
__global__ void sum(const float* input, float* output, int n) {
    __shared__ float partial[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    partial[threadIdx.x] = i < n ? input[i] : 0;
    __syncthreads();
    for (int stride = 1; stride < 256; stride *= 2) {
        if (threadIdx.x % (2 * stride) == 0) {  // doctor: divergent_branch
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(output, partial[0]);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    cudaMemset(output, 0, sizeof(float));
    sum<<<(n + 255) / 256, 256>>>(input, output, n);
}
