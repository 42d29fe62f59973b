// Wrong: the last segment is mirrored as if it were a full one. Its first output then comes from the end of the shared
// array, where nothing was stored. Right whenever n is a multiple of the segment, so such code passes many a test.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void reverse(const float* x, float* y, int n, int segment) {
    extern __shared__ float part[];
    int first = blockIdx.x * segment;
    for (int i = threadIdx.x; i < segment && first + i < n; i += kThreads) {
        part[i] = x[first + i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < segment && first + i < n; i += kThreads) {
        y[first + i] = part[segment - 1 - i];
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    int blocks = (n - 1) / segment + 1;
    reverse<<<blocks, kThreads, segment * sizeof(float)>>>(x, y, n, segment);
}
