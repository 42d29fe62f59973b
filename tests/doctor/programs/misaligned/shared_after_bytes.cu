// problem: histogram
__global__ void count(const int* input, int* counts, int n) {
    __shared__ __align__(16) unsigned char memory[2048];
    int* own = reinterpret_cast<int*>(memory + 2);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    own[threadIdx.x] = i < n ? input[i] : 0;  // doctor: misaligned
    __syncthreads();
    if (i < n) {
        atomicAdd(&counts[own[threadIdx.x]], 1);
    }
}

extern "C" void solve(const int* input, int* counts, int n, int bins) {
    cudaMemset(counts, 0, bins * sizeof(int));
    count<<<(n - 1) / 256 + 1, 256>>>(input, counts, n);
}
