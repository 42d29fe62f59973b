// problem: layer-norm
__global__ void normalise(const float* input, const float* gamma, const float* beta, float* output, int cols) {
    __shared__ float shared[128];
    const float* in = input + size_t(blockIdx.x) * cols;
    float sum = 0;
    for (int i = threadIdx.x; i < cols; i += 128) {
        sum += in[i];
    }
    shared[threadIdx.x] = sum;
    __syncthreads();
    float mean = 0;
    for (int i = 0; i < 128; ++i) {
        mean += shared[i];
    }
    mean /= cols;
    __syncthreads();
    float square = 0;
    for (int i = threadIdx.x; i < cols; i += 128) {
        square += (in[i] - mean) * (in[i] - mean);
    }
    shared[threadIdx.x] = square;
    __syncthreads();
    float variance = 0;
    for (int i = 0; i < 128; ++i) {
        variance += shared[i];
    }
    float scale = 1.0 / sqrtf(variance / cols + 1e-5);  // doctor: double_precision
    for (int i = threadIdx.x; i < cols; i += 128) {
        output[size_t(blockIdx.x) * cols + i] = (in[i] - mean) * scale * gamma[i] + beta[i];
    }
}

extern "C" void solve(const float* input, const float* gamma, const float* beta, float* output, int rows, int cols) {
    normalise<<<rows, 128>>>(input, gamma, beta, output, cols);
}
