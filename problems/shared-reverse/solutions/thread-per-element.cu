// Fails: one thread per element of a segment. A block has at most 1024 threads, so a longer segment makes the launch
// fail, and nothing is written. Let each thread take several elements in a loop with the stride of the block.
#include <cuda_runtime.h>

__global__ void reverse(const float* x, float* y, int n, int segment) {
    extern __shared__ float part[];
    int first = blockIdx.x * segment;
    int length = min(segment, n - first);
    int i = threadIdx.x;
    if (i < length) {
        part[i] = x[first + i];
    }
    __syncthreads();
    if (i < length) {
        y[first + i] = part[length - 1 - i];
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    int blocks = (n - 1) / segment + 1;
    reverse<<<blocks, segment, segment * sizeof(float)>>>(x, y, n, segment);
}
