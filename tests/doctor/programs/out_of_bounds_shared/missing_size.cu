// problem: reduction-sum
__global__ void sum(const float* input, float* output, int n) {
    extern __shared__ float partial[];
    float value = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        value += input[i];
    }
    partial[threadIdx.x] = value;  // doctor: out_of_bounds
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        *output = partial[0];
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    sum<<<1, 256>>>(input, output, n);
}
