// problem: relu
__global__ void relu(const float* input, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        auto x = 1.25 * input[i];  // doctor: double_precision
        output[i] = x > 0.0 ? x * 0.8 : 0.0;  // doctor: double_precision
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    relu<<<(n + 255) / 256, 256>>>(input, output, n);
}
