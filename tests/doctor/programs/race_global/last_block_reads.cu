// problem: reduction-sum
__device__ float sums[4096];

__global__ void sum(const float* input, float* output, int n) {
    __shared__ float partial[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    partial[threadIdx.x] = i < n ? input[i] : 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        float own = 0;
        for (int j = 0; j < 128; ++j) {
            own += partial[j];
        }
        sums[blockIdx.x] = own;  // doctor: race
        if (blockIdx.x == gridDim.x - 1) {
            float all = 0;
            for (int block = 0; block < gridDim.x; ++block) {
                all += sums[block];  // doctor: race
            }
            *output = all;
        }
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    sum<<<(n + 127) / 128, 128>>>(input, output, n);
}
