// Stores backwards and loads forwards. Each thread first loads up to four elements into registers, so that four loads
// of global memory are under way at a time: their latency is paid once per four elements. Bound by bandwidth.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kItems = 4;  // elements that a thread keeps in registers at a time

__global__ void reverse(const float* x, float* y, int n, int segment) {
    extern __shared__ float part[];
    int first = blockIdx.x * segment;
    int length = min(segment, n - first);
    for (int start = threadIdx.x; start < length; start += kItems * kThreads) {
        float items[kItems];
#pragma unroll
        for (int k = 0; k < kItems; ++k) {
            int i = start + k * kThreads;
            items[k] = i < length ? x[first + i] : 0.0f;
        }
#pragma unroll
        for (int k = 0; k < kItems; ++k) {
            int i = start + k * kThreads;
            if (i < length) part[length - 1 - i] = items[k];
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += kThreads) {
        y[first + i] = part[i];
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    int blocks = (n - 1) / segment + 1;
    reverse<<<blocks, kThreads, segment * sizeof(float)>>>(x, y, n, segment);
}
