// One thread per element. Bound by memory: eight bytes move for one comparison.
#include <cuda_runtime.h>

__global__ void relu(const float* input, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        output[i] = fmaxf(input[i], 0.0f);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    int threads = 256;
    relu<<<(n + threads - 1) / threads, threads>>>(input, output, n);
}
