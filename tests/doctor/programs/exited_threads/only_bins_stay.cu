// problem: histogram
__global__ void count(const int* input, int* counts, int n, int bins) {
    __shared__ int own[2048];
    if (threadIdx.x >= bins) {
        return;
    }
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
        own[bin] = 0;
    }
    __syncthreads();  // doctor: exited_threads
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&own[input[i]], 1);
    }
    __syncthreads();  // doctor: exited_threads
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
        atomicAdd(&counts[bin], own[bin]);
    }
}

extern "C" void solve(const int* input, int* counts, int n, int bins) {
    cudaMemset(counts, 0, bins * sizeof(int));
    count<<<(n - 1) / 256 + 1, 256>>>(input, counts, n, bins);
}
