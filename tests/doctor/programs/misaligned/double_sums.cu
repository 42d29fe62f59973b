// problem: reduction-sum
__global__ void sum(const float* input, double* total, float* output, int n) {
    for (int i = 0; i < n; ++i) {
        *total += input[i];  // doctor: misaligned
    }
    *output = *total;
}

extern "C" void solve(const float* input, float* output, int n) {
    char* memory;
    cudaMalloc(&memory, 32);
    cudaMemset(memory, 0, 32);
    sum<<<1, 1>>>(input, reinterpret_cast<double*>(memory + 4), output, n);
    cudaFree(memory);
}
