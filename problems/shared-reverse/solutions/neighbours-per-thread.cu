// Right, but slow: each thread moves four consecutive elements, one by one. In each instruction, the lanes of a warp
// are then 16 bytes apart and touch 16 sectors where 4 would do. Let neighbouring threads take neighbouring elements,
// or load float4.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kItems = 4;

__global__ void reverse(const float* x, float* y, int n, int segment) {
    extern __shared__ float part[];
    int first = blockIdx.x * segment;
    int length = min(segment, n - first);
    for (int start = kItems * threadIdx.x; start < length; start += kItems * kThreads) {
        for (int i = start; i < min(start + kItems, length); ++i) {
            part[i] = x[first + i];
        }
    }
    __syncthreads();
    for (int start = kItems * threadIdx.x; start < length; start += kItems * kThreads) {
        for (int i = start; i < min(start + kItems, length); ++i) {
            y[first + i] = part[length - 1 - i];
        }
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    int blocks = (n - 1) / segment + 1;
    reverse<<<blocks, kThreads, segment * sizeof(float)>>>(x, y, n, segment);
}
