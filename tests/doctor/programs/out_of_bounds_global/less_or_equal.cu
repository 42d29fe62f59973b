// problem: relu
__global__ void relu(const float* input, float* output, int n) {
    for (int i = threadIdx.x; i <= n; i += blockDim.x) {
        float x = input[i];  // doctor: out_of_bounds
        output[i] = x > 0 ? x : 0;
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    relu<<<1, 64>>>(input, output, n);
}
