#include <cuda_runtime.h>

// One block per segment. Fill the four holes.

__global__ void reverse(const float* x, float* y, int n, int segment) {
    extern __shared__ float part[];  // the launch says how large it is
    int first = blockIdx.x * segment;
    int length = segment;  // 1. The last segment ends at n: it may be shorter.
    for (int i = threadIdx.x; i < length && first + i < n; i += blockDim.x) {
        part[i] = x[first + i];
    }
    // 2. Wait until all threads of the block have stored their elements.
    for (int i = threadIdx.x; i < length && first + i < n; i += blockDim.x) {
        y[first + i] = part[i];  // 3. Which element of the segment comes here?
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    int blocks = (n - 1) / segment + 1;
    reverse<<<blocks, 256, 48 * 1024>>>(x, y, n, segment);  // 4. Reserve only the bytes that `part` needs.
}
