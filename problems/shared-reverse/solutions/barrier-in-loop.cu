// Wrong: one loop instead of two. If a segment has more elements than the block has threads, the first round loads
// cells that only a later round stores. Besides, the threads of a partial round never reach its barrier. Store all,
// wait, then load.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void reverse(const float* x, float* y, int n, int segment) {
    extern __shared__ float part[];
    int first = blockIdx.x * segment;
    int length = min(segment, n - first);
    for (int i = threadIdx.x; i < length; i += kThreads) {
        part[i] = x[first + i];
        __syncthreads();
        y[first + i] = part[length - 1 - i];
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    int blocks = (n - 1) / segment + 1;
    reverse<<<blocks, kThreads, segment * sizeof(float)>>>(x, y, n, segment);
}
