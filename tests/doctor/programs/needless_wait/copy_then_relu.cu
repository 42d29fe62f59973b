// problem: relu
#include <cuda_runtime.h>

__global__ void copy(const float* input, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        output[i] = input[i];
    }
}

__global__ void relu(float* values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        values[i] = fmaxf(values[i], 0.0f);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    int blocks = (n + 255) / 256;
    copy<<<blocks, 256>>>(input, output, n);
    if (cudaStreamSynchronize(0) != cudaSuccess) {  // doctor: needless_wait
        return;
    }
    relu<<<blocks, 256>>>(output, n);
    cudaDeviceSynchronize();
}
