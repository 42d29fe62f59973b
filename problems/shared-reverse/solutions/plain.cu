// One block per segment. Element i of the segment is stored in cell i, and cell length - 1 - i is loaded for it. Both
// sides of global memory run forwards, so each warp touches full sectors. Bound by bandwidth: 8 bytes per element.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void reverse(const float* x, float* y, int n, int segment) {
    extern __shared__ float part[];
    int first = blockIdx.x * segment;
    int length = min(segment, n - first);
    for (int i = threadIdx.x; i < length; i += blockDim.x) {
        part[i] = x[first + i];
    }
    __syncthreads();  // the cell that a thread loads was stored by another one
    for (int i = threadIdx.x; i < length; i += blockDim.x) {
        y[first + i] = part[length - 1 - i];
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    int blocks = (n - 1) / segment + 1;
    reverse<<<blocks, kThreads, segment * sizeof(float)>>>(x, y, n, segment);
}
