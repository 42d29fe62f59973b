// problem: reduction-sum
__global__ void sum(const float* input, float* output, int n) {
    float value = 0;
    for (int i = threadIdx.x; i < n; i += 32) {
        value += input[i];
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0x0000ffffu, value, offset);  // doctor: bad_mask
    }
    if (threadIdx.x == 0) {
        *output = value;
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    sum<<<1, 32>>>(input, output, n);
}
