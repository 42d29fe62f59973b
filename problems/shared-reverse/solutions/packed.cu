// A block takes as many whole segments as fit into 2048 elements, at least one. With segments of 24 elements, one
// block per segment would leave 232 of 256 threads without work; here 85 segments share a block. Bound by bandwidth.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kTile = 2048;

__global__ void reverse(const float* x, float* y, int n, int segment, int tile) {
    extern __shared__ float part[];
    int first = blockIdx.x * tile;
    int length = min(tile, n - first);
    for (int i = threadIdx.x; i < length; i += kThreads) {
        part[i] = x[first + i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += kThreads) {
        int start = i / segment * segment;
        int end = min(start + segment, length);  // only the last segment of the vector is shorter
        y[first + i] = part[start + end - 1 - i];
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    int tile = max(1, kTile / segment) * segment;  // whole segments
    int blocks = (n - 1) / tile + 1;
    reverse<<<blocks, kThreads, tile * sizeof(float)>>>(x, y, n, segment, tile);
}
