// Wrong: the grid is rounded up to whole blocks, and nothing stops the threads past the end.
// A GPU may let this pass in silence, because allocations are padded.
#include <cuda_runtime.h>

__global__ void multiply(const float* a, const float* b, float* c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] * b[i];
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    int threads = 256;
    multiply<<<(n + threads - 1) / threads, threads>>>(a, b, c);
}
