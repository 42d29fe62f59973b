// problem: reduction-sum
__global__ void add_chunk(const float* input, float* output, int n) {
    float value = threadIdx.x < n ? input[threadIdx.x] : 0;
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, offset);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(output, value);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    cudaMemset(output, 0, sizeof(float));
    for (int first = 0; first < n; first += 256) {
        add_chunk<<<1, 256>>>(input + first, output, n - first);  // doctor: launch_bound
    }
}
