// problem: reduction-sum
// Each thread of the only block adds up the whole vector.
__global__ void sum(const float* input, float* output, int n) {
    float total = 0;
    for (int j = 0; j < n; ++j) {
        int at = j + threadIdx.x < n ? j + threadIdx.x : j + threadIdx.x - n;
        total += input[at % n];  // doctor: redundant_loads
    }
    if (threadIdx.x == 0) {
        *output = total;
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    sum<<<1, 64>>>(input, output, n);
}
