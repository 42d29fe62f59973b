// problem: softmax
__global__ void softmax(const float* input, float* output, int cols) {
    const float* in = input + size_t(blockIdx.x) * cols;
    float maximum = -INFINITY, sum = 0;
    for (int j = 0; j < cols; ++j) {
        maximum = fmaxf(maximum, in[(j + threadIdx.x) % cols]);  // doctor: redundant_loads
    }
    for (int j = 0; j < cols; ++j) {
        sum += expf(in[(j + threadIdx.x) % cols] - maximum);  // doctor: redundant_loads
    }
    for (int i = threadIdx.x; i < cols; i += 64) {
        output[size_t(blockIdx.x) * cols + i] = expf(in[i] - maximum) / sum;
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    softmax<<<rows, 64>>>(input, output, cols);
}
