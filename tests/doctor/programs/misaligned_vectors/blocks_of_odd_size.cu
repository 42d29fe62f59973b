// problem: vector-add
// A head of 3 elements shifts the 1024 elements of each block.
__global__ void add(const float* a, const float* b, float* c, int n) {
    int first = blockIdx.x * 1024 + 3;
    if (blockIdx.x == 0 && threadIdx.x < 3 && threadIdx.x < n) {
        c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
    }
    for (int i = first + threadIdx.x; i < min(first + 1024, n); i += blockDim.x) {
        c[i] = a[i] + b[i];  // doctor: misaligned_vectors
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    add<<<(n + 1023) / 1024, 128>>>(a, b, c, n);
}
