// One thread per element. Bound by memory: twelve bytes move for one addition.
#include <cuda_runtime.h>

__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    int threads = 256;
    add<<<(n + threads - 1) / threads, threads>>>(a, b, c, n);
}
