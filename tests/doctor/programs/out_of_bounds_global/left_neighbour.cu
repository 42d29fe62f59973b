// problem: prefix-sum
__global__ void scan(const float* input, float* output, int n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        for (int i = 0; i < n; ++i) {
            float before = output[i - 1];  // doctor: out_of_bounds
            output[i] = before + input[i];
        }
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    scan<<<1, 32>>>(input, output, n);
}
