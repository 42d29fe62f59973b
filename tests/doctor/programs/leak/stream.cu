// problem: vector-add
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);  // doctor: leak
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
    cudaStreamSynchronize(stream);
}
