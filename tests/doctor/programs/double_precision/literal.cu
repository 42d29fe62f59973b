// problem: relu
__global__ void relu(const float* input, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = input[i];
        output[i] = x > 0 ? x * 1.0000000000000002 : 0;  // doctor: double_precision
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    relu<<<(n + 255) / 256, 256>>>(input, output, n);
}
