// A grid of fixed size walks over the vectors. Bound by memory; the launch costs the same for every n.
#include <cuda_runtime.h>

__global__ void multiply(const float* a, const float* b, float* c, int n) {
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        c[i] = a[i] * b[i];
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    multiply<<<1056, 256>>>(a, b, c, n);  // eight blocks for each of 132 multiprocessors
}
