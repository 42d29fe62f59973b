// Wrong: counts onto whatever the output held before. A fresh allocation often happens to be zero,
// which hides this until the buffer is used again.
#include <cuda_runtime.h>

__global__ void count(const int* input, int* counts, int n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&counts[input[i]], 1);
    }
}

extern "C" void solve(const int* input, int* counts, int n, int bins) {
    count<<<(n - 1) / 256 + 1, 256>>>(input, counts, n);
}
