// Wrong: no __syncthreads() between storing the segment and loading it backwards. The thread that stores the mirrored
// cell usually belongs to another warp, which may not have run yet. On a GPU, segments of up to 32 elements hide it:
// they have one warp.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void reverse(const float* x, float* y, int n, int segment) {
    extern __shared__ float part[];
    int first = blockIdx.x * segment;
    int length = min(segment, n - first);
    for (int i = threadIdx.x; i < length; i += kThreads) {
        part[i] = x[first + i];
    }
    // __syncthreads() belongs here.
    for (int i = threadIdx.x; i < length; i += kThreads) {
        y[first + i] = part[length - 1 - i];
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    int blocks = (n - 1) / segment + 1;
    reverse<<<blocks, kThreads, segment * sizeof(float)>>>(x, y, n, segment);
}
