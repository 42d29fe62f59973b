// problem: relu
__global__ void relu(const float* input, float* output, int n, int pitch, int shift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int at = i * pitch;
        output[at >> shift] = fmaxf(input[i], 0.0f);  // doctor: out_of_bounds
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    relu<<<(n + 127) / 128, 128>>>(input, output, n, 1 << 22, 22);
}
