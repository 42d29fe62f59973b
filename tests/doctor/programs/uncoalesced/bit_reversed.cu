// problem: relu
__global__ void relu(const float* input, float* output, int n) {
    int first = blockIdx.x * 1024;
    for (int step = 0; step < 8; ++step) {
        int lane = threadIdx.x;
        int i = first + lane * 8 + step;
        if (i < n) {
            output[i] = fmaxf(input[i], 0.0f);  // doctor: uncoalesced
        }
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    relu<<<(n + 1023) / 1024, 128>>>(input, output, n);
}
