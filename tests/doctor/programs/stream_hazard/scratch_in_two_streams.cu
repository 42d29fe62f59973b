// problem: relu
__global__ void keep(const float* input, float* kept, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        kept[i] = fmaxf(input[i], 0.0f);  // doctor: stream_hazard
    }
}

__global__ void store(const float* kept, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        output[i] = kept[i];  // doctor: stream_hazard
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    float* kept;
    cudaMalloc(&kept, n * sizeof(float));
    cudaMemset(kept, 0, n * sizeof(float));
    cudaDeviceSynchronize();
    cudaStream_t one, two;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    keep<<<(n + 255) / 256, 256, 0, one>>>(input, kept, n);
    store<<<(n + 255) / 256, 256, 0, two>>>(kept, output, n);
    cudaDeviceSynchronize();
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    cudaFree(kept);
}
