// Breaks a rule: the counts are right, but each element is struck out of the input once it has been counted.
// The input belongs to the caller and must come back as it was.
#include <cuda_runtime.h>

__global__ void count(int* input, int* counts, int n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        int bin = atomicExch(&input[i], -1);
        atomicAdd(&counts[bin], 1);
    }
}

extern "C" void solve(const int* input, int* counts, int n, int bins) {
    cudaMemset(counts, 0, bins * sizeof(int));
    count<<<(n - 1) / 256 + 1, 256>>>(const_cast<int*>(input), counts, n);
}
