// problem: prefix-sum
__global__ void scan(const float* input, float* output, int n) {
    __shared__ float sums[2][256];
    int from = 0;
    sums[0][threadIdx.x] = threadIdx.x < n ? input[threadIdx.x] : 0;
    __syncthreads();
    for (int distance = 1; distance < 256; distance *= 2) {
        if (threadIdx.x >= n) {
            return;
        }
        float before = threadIdx.x >= distance ? sums[from][threadIdx.x - distance] : 0;
        sums[1 - from][threadIdx.x] = sums[from][threadIdx.x] + before;
        from = 1 - from;
        __syncthreads();  // doctor: exited_threads
    }
    output[threadIdx.x] = sums[from][threadIdx.x];
}

extern "C" void solve(const float* input, float* output, int n) {
    scan<<<1, 256>>>(input, output, n);
}
