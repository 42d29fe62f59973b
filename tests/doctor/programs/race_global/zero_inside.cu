// problem: histogram
__global__ void count(const int* input, int* counts, int n, int bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < bins) {
        counts[i] = 0;  // doctor: race
    }
    __syncthreads();
    if (i < n) {
        atomicAdd(&counts[input[i]], 1);  // doctor: race
    }
}

extern "C" void solve(const int* input, int* counts, int n, int bins) {
    int most = n > bins ? n : bins;
    count<<<(most + 127) / 128, 128>>>(input, counts, n, bins);
}
