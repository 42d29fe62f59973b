// problem: histogram
__global__ void count(const int* input, int* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        counts[input[i]] += 1;  // doctor: race
    }
}

extern "C" void solve(const int* input, int* counts, int n, int bins) {
    cudaMemset(counts, 0, bins * sizeof(int));
    count<<<(n + 127) / 128, 128>>>(input, counts, n);
}
