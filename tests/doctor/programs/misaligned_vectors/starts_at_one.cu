// problem: relu
// Element 0 is left to one thread, so that each warp starts 4 bytes behind a sector.
__global__ void relu(const float* input, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i == 1) {
        output[0] = fmaxf(input[0], 0.0f);
    }
    if (i < n) {
        output[i] = fmaxf(input[i], 0.0f);  // doctor: misaligned_vectors
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    relu<<<(n + 255) / 256, 256>>>(input, output, n);
}
