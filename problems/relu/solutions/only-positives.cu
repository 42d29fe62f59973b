// Wrong: writes the positive elements alone and takes for granted that the others are zero already.
// Memory from cudaMalloc holds whatever was there before.
#include <cuda_runtime.h>

__global__ void relu(const float* input, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && input[i] > 0.0f) {
        output[i] = input[i];
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    int threads = 256;
    relu<<<(n + threads - 1) / threads, threads>>>(input, output, n);
}
