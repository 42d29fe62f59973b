// Wrong: each block reverses its segment and also writes it at the mirrored place of the vector, so the whole vector
// is reversed. A vector of one segment hides it. Where the segment begins stays the same on both sides.
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
        y[n - first - length + i] = part[length - 1 - i];
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    int blocks = (n - 1) / segment + 1;
    reverse<<<blocks, kThreads, segment * sizeof(float)>>>(x, y, n, segment);
}
