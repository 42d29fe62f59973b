// Right, but it exchanges nothing: each thread loads the cell that it stored itself. Such a cell is a register at a
// greater distance. Because no thread needs another one's value, the barrier is missing too.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void reverse(const float* x, float* y, int n, int segment) {
    extern __shared__ float part[];
    int first = blockIdx.x * segment;
    int length = min(segment, n - first);
    for (int i = threadIdx.x; i < length; i += kThreads) {
        part[i] = x[first + length - 1 - i];
    }
    for (int i = threadIdx.x; i < length; i += kThreads) {
        y[first + i] = part[i];
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    int blocks = (n - 1) / segment + 1;
    reverse<<<blocks, kThreads, segment * sizeof(float)>>>(x, y, n, segment);
}
