// Wrong: nothing stops the threads of a partial last segment at n. They read past the vector, mirror what they found
// there to the front, and write past the end.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void reverse(const float* x, float* y, int segment) {
    extern __shared__ float part[];
    int first = blockIdx.x * segment;
    for (int i = threadIdx.x; i < segment; i += kThreads) {
        part[i] = x[first + i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < segment; i += kThreads) {
        y[first + i] = part[segment - 1 - i];
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    int blocks = (n - 1) / segment + 1;
    reverse<<<blocks, kThreads, segment * sizeof(float)>>>(x, y, segment);
}
