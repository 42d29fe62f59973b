// problem: histogram
__global__ void count(const int* input, int* counts, int n, int bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int hash = (input[i] + 1) * 1234567891;
        atomicAdd(&counts[hash % bins], 1);  // doctor: out_of_bounds
    }
}

extern "C" void solve(const int* input, int* counts, int n, int bins) {
    cudaMemset(counts, 0, bins * sizeof(int));
    count<<<(n + 255) / 256, 256>>>(input, counts, n, bins);
}
