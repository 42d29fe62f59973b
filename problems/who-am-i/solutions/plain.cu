// The launch is as the statement describes it, so the built-in variables are the answer.
// Bound by memory: 16 bytes per row are written, in four stores that each fill a quarter of every sector.
#include <cuda_runtime.h>

__global__ void report(int* out, int base, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[4 * i] = base + i;
        out[4 * i + 1] = blockIdx.x;
        out[4 * i + 2] = threadIdx.x;
        out[4 * i + 3] = threadIdx.x % 32;
    }
}

extern "C" void solve(int* out, int base, int n, int block) {
    report<<<(n + block - 1) / block, block>>>(out, base, n);
}
