// problem: reduction-sum
__global__ void sum(const float* input, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? input[i] : 0;
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, offset);
    }
    if (threadIdx.x % 32 == 0) {
        *output += value;  // doctor: race
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    cudaMemset(output, 0, sizeof(float));
    sum<<<(n + 127) / 128, 128>>>(input, output, n);
}
