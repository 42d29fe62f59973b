// problem: reduction-sum
__global__ void sum(const float* input, float* output, int n) {
    __shared__ float partial[256];
    float value = 0;
    for (int i = threadIdx.x; i < n; i += 256) {
        value += input[i];
    }
    partial[threadIdx.x] = value;
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partial[threadIdx.x + stride];  // doctor: race
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        *output = partial[0];
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    sum<<<1, 256>>>(input, output, n);
}
