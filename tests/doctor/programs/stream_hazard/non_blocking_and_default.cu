// problem: histogram
__global__ void clear(int* counts, int bins) {
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
        counts[bin] = 0;  // doctor: stream_hazard
    }
}

__global__ void count(const int* input, int* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&counts[input[i]], 1);  // doctor: stream_hazard
    }
}

extern "C" void solve(const int* input, int* counts, int n, int bins) {
    cudaStream_t work;
    cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking);
    clear<<<1, 256>>>(counts, bins);
    count<<<(n + 255) / 256, 256, 0, work>>>(input, counts, n);
    cudaStreamSynchronize(work);
    cudaStreamDestroy(work);
}
