// problem: vector-add
#include <cuda_runtime.h>

__global__ void add(const float* a, const float* b, float* c, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        c[i] = a[i] + b[i];
    }
}

// A multiprocessor holds two blocks of 1024 threads.
extern "C" void solve(const float* a, const float* b, float* c, int n) {
    add<<<224, 1024>>>(a, b, c, n);  // doctor: tail
}
