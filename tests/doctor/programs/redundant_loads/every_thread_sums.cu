// problem: reduction-sum
// Each thread adds up the whole chunk of its block, beginning at an element of its own.
__global__ void sum(const float* input, float* output, int n) {
    float total = 0;
    int first = blockIdx.x * 256;
    for (int j = 0; j < 256; ++j) {
        int at = first + (j + threadIdx.x) % 256;
        total += at < n ? input[at] : 0;  // doctor: redundant_loads
    }
    if (threadIdx.x == 0) {
        atomicAdd(output, total);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    cudaMemset(output, 0, sizeof(float));
    sum<<<(n + 255) / 256, 64>>>(input, output, n);
}
