// problem: histogram
__global__ void count(const int* input, int* own, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(own + input[i], 1);  // doctor: uninitialised
    }
}

__global__ void copy(const int* own, int* counts, int bins) {
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
        counts[bin] = own[bin];  // doctor: uninitialised
    }
}

extern "C" void solve(const int* input, int* counts, int n, int bins) {
    int* own;
    cudaMalloc(&own, bins * sizeof(int));
    cudaMemset(own, 0, bins);
    count<<<(n + 127) / 128, 128>>>(input, own, n);
    copy<<<1, 128>>>(own, counts, bins);
    cudaFree(own);
}
