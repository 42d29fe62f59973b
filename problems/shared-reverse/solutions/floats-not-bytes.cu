// Wrong: the third argument of the launch is a number of bytes, and this is a number of floats. Three quarters of the
// segment lie beyond the end of the shared array. A GPU may reserve more than was asked for, and so hide it.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void reverse(const float* x, float* y, int n, int segment) {
    extern __shared__ float part[];
    int first = blockIdx.x * segment;
    int length = min(segment, n - first);
    for (int i = threadIdx.x; i < length; i += kThreads) {
        part[i] = x[first + i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += kThreads) {
        y[first + i] = part[length - 1 - i];
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    int blocks = (n - 1) / segment + 1;
    reverse<<<blocks, kThreads, segment>>>(x, y, n, segment);
}
