// problem: reduction-sum
__global__ void clear(float* output) {
    *output = 0;  // doctor: stream_hazard
}

__global__ void sum(const float* input, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(output, input[i]);  // doctor: stream_hazard
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    cudaStream_t one, two;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    clear<<<1, 1, 0, one>>>(output);
    sum<<<(n + 255) / 256, 256, 0, two>>>(input, output, n);
    cudaDeviceSynchronize();
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
}
