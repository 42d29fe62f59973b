// A grid of fixed size walks over the vector. Bound by memory; both results are computed, and one is taken.
#include <cuda_runtime.h>

__global__ void step(int* values, int n) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        int value = values[i];
        int odd = value & 1;
        values[i] = odd * (3 * value + 1) + (1 - odd) * (value >> 1);
    }
}

extern "C" void solve(int* values, int n) {
    step<<<1056, 256>>>(values, n);  // eight blocks for each of 132 multiprocessors
}
