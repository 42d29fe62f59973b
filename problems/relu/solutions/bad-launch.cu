// Wrong: all in one block. A block has at most 1024 threads; above that the launch fails, no thread runs,
// and a program that does not ask for the error carries on. This one asks, and stops.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void relu(const float* input, float* output) {
    int i = threadIdx.x;
    output[i] = fmaxf(input[i], 0.0f);
}

extern "C" void solve(const float* input, float* output, int n) {
    relu<<<1, n>>>(input, output);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
        std::abort();
    }
}
