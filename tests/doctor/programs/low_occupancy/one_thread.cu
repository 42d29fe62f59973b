// problem: relu
__global__ void relu(const float* input, float* output, int n) {
    for (int i = 0; i < n; ++i) {
        output[i] = fmaxf(input[i], 0.0f);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    relu<<<1, 1>>>(input, output, n);  // doctor: low_occupancy
}
