// problem: relu
__global__ void spread(const float* input, float* output, int n, int pitch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int at = i * pitch / pitch;
        output[at] = fmaxf(input[i], 0.0f);  // doctor: out_of_bounds
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    spread<<<(n + 127) / 128, 128>>>(input, output, n, 1 << 24);
}
