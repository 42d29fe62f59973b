// problem: reduction-sum
// Even elements first, then odd ones: half of each sector is fetched for nothing.
__global__ void sum(const float* input, float* output, int n) {
    float value = 0;
    for (int part = 0; part < 2; ++part) {
        for (int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + part; i < n; i += 2 * gridDim.x * blockDim.x) {
            value += input[i];  // doctor: uncoalesced
        }
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, offset);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(output, value);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    cudaMemset(output, 0, sizeof(float));
    sum<<<(n + 1023) / 1024, 256>>>(input, output, n);
}
