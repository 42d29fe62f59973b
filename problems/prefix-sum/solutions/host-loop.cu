// Cheating: scans on the host. The arrays are in device memory, which the host cannot read.
extern "C" void solve(const float* input, float* output, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; ++i) {
        sum += input[i];
        output[i] = sum;
    }
}
