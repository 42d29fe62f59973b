// problem: reduction-sum
__global__ void sum(const float* input, float* output, int n) {
    __shared__ float partial[256];
    float value = 0;
    for (int i = threadIdx.x; i < n; i += 256) {
        value += input[i];
    }
    partial[threadIdx.x] = value;
    if (threadIdx.x < 128) {
        __syncthreads();  // doctor: divergent_barrier
        partial[threadIdx.x] += partial[threadIdx.x + 128];
    } else {
        __syncthreads();  // doctor: divergent_barrier
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        float all = 0;
        for (int i = 0; i < 128; ++i) {
            all += partial[i];
        }
        *output = all;
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    sum<<<1, 256>>>(input, output, n);
}
