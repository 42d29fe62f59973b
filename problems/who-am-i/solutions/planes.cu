// Wrong: four planes of n numbers, one after the other. That layout coalesces well, but the caller expects the four
// numbers of a row next to each other.
#include <cuda_runtime.h>

__global__ void report(int* out, int base, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = base + i;
        out[n + i] = blockIdx.x;
        out[2 * n + i] = threadIdx.x;
        out[3 * n + i] = threadIdx.x % 32;
    }
}

extern "C" void solve(int* out, int base, int n, int block) {
    report<<<(n + block - 1) / block, block>>>(out, base, n);
}
