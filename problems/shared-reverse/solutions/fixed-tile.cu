// Wrong: each block reverses 256 elements, whatever the segment is. A segment that is longer, or that crosses the end
// of a tile, has its mirror image in another block's shared memory. The size of a tile must be a multiple of the
// segment.
#include <cuda_runtime.h>

constexpr int kTile = 256;

__global__ void reverse(const float* x, float* y, int n, int segment) {
    __shared__ float part[kTile];
    int first = blockIdx.x * kTile;
    int length = min(kTile, n - first);
    int i = threadIdx.x;
    if (i < length) {
        part[i] = x[first + i];
    }
    __syncthreads();
    if (i < length) {
        int start = i / segment * segment;
        int end = min(start + segment, length);
        y[first + i] = part[start + end - 1 - i];
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    reverse<<<(n - 1) / kTile + 1, kTile>>>(x, y, n, segment);
}
