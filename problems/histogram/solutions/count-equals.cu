// Too slow: to avoid atomics, every thread counts the elements that equal its own and stores the result. Equal
// elements store equal counts, so the answer is right, after n * n comparisons instead of n additions.
#include <cuda_runtime.h>

__global__ void count(const int* input, int* counts, int n) {
    size_t own = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (own < n) {
        int bin = input[own];
        int equals = 0;
        for (size_t i = 0; i < n; ++i) {
            equals += input[i] == bin;
        }
        counts[bin] = equals;
    }
}

extern "C" void solve(const int* input, int* counts, int n, int bins) {
    cudaMemset(counts, 0, bins * sizeof(int));
    count<<<(n - 1) / 256 + 1, 256>>>(input, counts, n);
}
