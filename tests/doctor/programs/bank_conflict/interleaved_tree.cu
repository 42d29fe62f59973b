// problem: reduction-sum
__global__ void sum(const float* input, float* output, int n) {
    __shared__ float partial[1024];
    int first = blockIdx.x * 1024;
    for (int i = threadIdx.x; i < 1024; i += 256) {
        partial[i] = first + i < n ? input[first + i] : 0;
    }
    __syncthreads();
    for (int stride = 1; stride < 1024; stride *= 2) {
        for (int i = 2 * stride * threadIdx.x; i < 1024; i += 2 * stride * 256) {
            partial[i] += partial[i + stride];  // doctor: bank_conflict
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(output, partial[0]);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    cudaMemset(output, 0, sizeof(float));
    sum<<<(n + 1023) / 1024, 256>>>(input, output, n);
}
