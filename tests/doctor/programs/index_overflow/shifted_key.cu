// problem: prefix-sum
__global__ void scan(const float* input, float* output, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) {
        int key = (i << 21) >> 21;
        sum += input[i];
        output[key] = sum;  // doctor: out_of_bounds
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    scan<<<1, 1>>>(input, output, n);
}
