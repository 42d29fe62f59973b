#include <cuda_runtime.h>

// output[i] is input[i], or 0 if input[i] is negative.
// The launch is complete. Write the kernel.

__global__ void relu(const float* input, float* output, int n) {
    // 1. Compute the index of this thread.
    // 2. Let only threads with an element continue.
    // 3. Read one element of input, and write one element of output.
}

extern "C" void solve(const float* input, float* output, int n) {
    int threads = 256;
    int blocks = (n + threads - 1) / threads;
    relu<<<blocks, threads>>>(input, output, n);
}
