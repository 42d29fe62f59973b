// Too slow: every thread starts from the beginning and sums its own prefix. The answer is right, but n * n / 2
// additions instead of n are a hundred thousand times the work for 200,000 elements.
#include <cuda_runtime.h>

__global__ void scan(const float* input, float* output, int n) {
    size_t own = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (own < n) {
        float sum = 0.0f;
        for (size_t i = 0; i <= own; ++i) {
            sum += input[i];
        }
        output[own] = sum;
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    scan<<<(n - 1) / 256 + 1, 256>>>(input, output, n);
}
