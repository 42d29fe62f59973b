// problem: softmax
__global__ void softmax(const float* input, float* output, int cols) {
    __shared__ float shared[64];
    const float* in = input + size_t(blockIdx.x) * cols;
    float maximum = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < cols; i += 64) {
        maximum = fmaxf(maximum, in[i]);
    }
    shared[threadIdx.x] = maximum;
    __syncthreads();
    for (int i = 0; i < 64; ++i) {
        maximum = fmaxf(maximum, shared[i]);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < cols; i += 64) {
        sum += expf(in[i] - maximum);
    }
    shared[threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < 64; ++i) {
        sum += shared[i];
    }
    float scale = 1.0 / (sum + 1e-30);  // doctor: double_precision
    for (int i = threadIdx.x; i < cols; i += 64) {
        float power = expf(in[i] - maximum);
        output[size_t(blockIdx.x) * cols + i] = power * scale;
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    softmax<<<rows, 64>>>(input, output, cols);
}
