// problem: softmax
__global__ void softmax(const float* input, float* output, int cols) {
    __shared__ float shared[128];
    const float* in = input + blockIdx.x * cols;
    float sum = 0;
    for (int i = threadIdx.x; i < cols; i += 128) {
        sum += expf(in[i]);
        __syncthreads();  // doctor: divergent_barrier
    }
    shared[threadIdx.x] = sum;
    __syncthreads();  // doctor: divergent_barrier
    float all = 0;
    for (int i = 0; i < 128; ++i) {
        all += shared[i];
    }
    for (int i = threadIdx.x; i < cols; i += 128) {
        output[blockIdx.x * cols + i] = expf(in[i]) / all;
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    softmax<<<rows, 128>>>(input, output, cols);
}
