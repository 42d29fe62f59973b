// problem: reduction-sum
__global__ void sum(const float* input, float* output, int n) {
    __shared__ float partial[256 * 8];
    float value = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        value += input[i];
    }
    partial[8 * threadIdx.x] = value;  // doctor: bank_conflict
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[8 * threadIdx.x] += partial[8 * (threadIdx.x + stride)];  // doctor: bank_conflict
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(output, partial[0]);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    cudaMemset(output, 0, sizeof(float));
    sum<<<(n + 2047) / 2048, 256>>>(input, output, n);
}
