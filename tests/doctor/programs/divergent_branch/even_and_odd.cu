// problem: relu
__global__ void relu(const float* input, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float x = input[i];
    float y;
    if (threadIdx.x % 2 == 0) {  // doctor: divergent_branch
        y = x;
        for (int step = 0; step < 8; ++step) {
            y = fmaxf(y * 1.0f, 0.0f) + 0.0f * step;
        }
    } else {
        y = 0;
        for (int step = 0; step < 8; ++step) {
            y = fmaxf(x - 0.0f * step, y);
        }
    }
    output[i] = y;
}

extern "C" void solve(const float* input, float* output, int n) {
    relu<<<(n + 255) / 256, 256>>>(input, output, n);
}
