// problem: histogram
__global__ void count(const int* input, int* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&counts[input[i]], 1);
    }
}

extern "C" void solve(const int* input, int* counts, int n, int bins) {
    for (int bin = 0; bin < bins; ++bin) {
        counts[bin] = 0;  // doctor: host_access
    }
    count<<<(n + 255) / 256, 256>>>(input, counts, n);
}
