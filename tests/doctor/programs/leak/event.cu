// problem: relu
__global__ void relu(const float* input, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        output[i] = fmaxf(input[i], 0.0f);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    cudaEvent_t done;
    cudaEventCreate(&done);  // doctor: leak
    relu<<<(n + 255) / 256, 256>>>(input, output, n);
    cudaEventRecord(done);
    cudaEventSynchronize(done);
}
