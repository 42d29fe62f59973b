// problem: histogram
__global__ void count(const int* input, int* counts, int n, int bins) {
    __shared__ int own[2048];
    for (int bin = threadIdx.x; bin < 2048; bin += blockDim.x) {
        own[bin] = 0;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&own[input[i]], 1);
    }
    if (threadIdx.x == 0) {
        __syncthreads();  // doctor: divergent_barrier
        for (int bin = 0; bin < bins; ++bin) {
            atomicAdd(&counts[bin], own[bin]);
        }
    }
    __syncthreads();  // doctor: divergent_barrier
}

extern "C" void solve(const int* input, int* counts, int n, int bins) {
    cudaMemset(counts, 0, bins * sizeof(int));
    count<<<(n - 1) / 256 + 1, 256>>>(input, counts, n, bins);
}
