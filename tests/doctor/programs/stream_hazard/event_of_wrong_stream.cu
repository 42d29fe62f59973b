// problem: vector-add
__global__ void copy(const float* a, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i];  // doctor: stream_hazard
    }
}

__global__ void add(const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] += b[i];  // doctor: stream_hazard
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    cudaStream_t one, two;
    cudaEvent_t done;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    cudaEventCreate(&done);
    copy<<<(n + 255) / 256, 256, 0, one>>>(a, c, n);
    cudaEventRecord(done, two);
    cudaStreamWaitEvent(two, done, 0);
    add<<<(n + 255) / 256, 256, 0, two>>>(b, c, n);
    cudaDeviceSynchronize();
    cudaEventDestroy(done);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
}
