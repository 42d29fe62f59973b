// problem: histogram
__global__ void count(const int* input, int* counts, int n) {
    if (threadIdx.x < n) {
        atomicAdd(&counts[input[threadIdx.x]], 1);
    }
}

extern "C" void solve(const int* input, int* counts, int n, int bins) {
    cudaMemset(counts, 0, bins * sizeof(int));
    int first = 0;
    while (first < n) {
        count<<<1, 256>>>(input + first, counts, n - first);  // doctor: launch_bound
        first += 256;
    }
}
