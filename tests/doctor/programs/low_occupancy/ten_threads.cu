// problem: relu
__global__ void relu(const float* input, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        output[i] = fmaxf(input[i], 0.0f);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    relu<<<(n + 9) / 10, 10>>>(input, output, n);  // doctor: low_occupancy
}
