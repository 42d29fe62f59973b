// problem: reduction-sum
__global__ void partial(const float* input, float* sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? input[i] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, offset);
    }
    if (threadIdx.x % 32 == 0) {
        sums[i / 32] = value;  // doctor: out_of_bounds
    }
}

__global__ void total(const float* sums, float* output, int count) {
    float sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += sums[i];
    }
    *output = sum;
}

extern "C" void solve(const float* input, float* output, int n) {
    int blocks = (n + 255) / 256;
    float* sums;
    cudaMalloc(&sums, blocks * sizeof(float));
    partial<<<blocks, 256>>>(input, sums, n);
    total<<<1, 1>>>(sums, output, blocks * 8);
    cudaFree(sums);
}
