// problem: relu
__global__ void relu(const float* input, float* output, int n) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;
    if (i + 1 < n) {
        float2 pair = *reinterpret_cast<const float2*>(input + i);  // doctor: misaligned
        output[i] = fmaxf(pair.x, 0.0f);
        output[i + 1] = fmaxf(pair.y, 0.0f);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    relu<<<(n + 255) / 256, 128>>>(input, output, n);
}
