// Right, but not what is practised: the mirrored index is computed in global memory, and nothing is staged. For a
// reversal this costs nothing, because a warp still touches neighbouring elements. Most other orders scatter its
// accesses.
#include <cuda_runtime.h>

__global__ void reverse(const float* x, float* y, int n, int segment) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int start = i / segment * segment;
        int end = min(start + segment, n);
        y[i] = x[start + end - 1 - i];
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    reverse<<<(n - 1) / 256 + 1, 256>>>(x, y, n, segment);
}
