// One thread per number. Bound by memory: eight bytes move for two operations.
#include <cuda_runtime.h>

__global__ void step(int* values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int value = values[i];
        values[i] = value % 2 == 0 ? value / 2 : 3 * value + 1;
    }
}

extern "C" void solve(int* values, int n) {
    int threads = 256;
    step<<<(n + threads - 1) / threads, threads>>>(values, n);
}
