// problem: softmax
template <int kThreads>
__global__ void softmax(const float* in, float* out, int cols) {
    __shared__ float shared[kThreads];
    float maximum = -INFINITY, sum = 0;
    for (int i = 0; i < cols; ++i) {
        maximum = fmaxf(maximum, in[i]);
    }
    for (int i = threadIdx.x; i < cols; i += kThreads) {
        sum += expf(in[i] - maximum);
    }
    shared[threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < kThreads; ++i) {
        sum += shared[i];
    }
    for (int i = threadIdx.x; i < cols; i += kThreads) {
        out[i] = expf(in[i] - maximum) / sum;
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    for (int row = 0; row < rows; ++row) {
        softmax<64><<<1, 64>>>(input + size_t(row) * cols, output + size_t(row) * cols, cols);  // doctor: launch_bound
    }
}
