// problem: histogram
__global__ void count(const int* input, int* counts, int n, int bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int role = i % 3;
    int first = i / 3 * 3;
    if (role == 0) {  // doctor: divergent_branch
        for (int j = first; j < min(first + 3, n); ++j) {
            int value = input[j];
            if (value >= 0 && value < bins) {
                atomicAdd(&counts[value], 1);
            }
        }
    }
}

extern "C" void solve(const int* input, int* counts, int n, int bins) {
    cudaMemset(counts, 0, bins * sizeof(int));
    count<<<(n + 255) / 256, 256>>>(input, counts, n, bins);
}
