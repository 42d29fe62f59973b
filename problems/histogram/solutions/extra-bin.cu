// Wrong: `bin <= bins` sets one bin too many to zero, four bytes past the end of the output.
#include <cuda_runtime.h>

__global__ void clear(int* counts, int bins) {
    int bin = blockIdx.x * blockDim.x + threadIdx.x;
    if (bin <= bins) {
        counts[bin] = 0;
    }
}

__global__ void count(const int* input, int* counts, int n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&counts[input[i]], 1);
    }
}

extern "C" void solve(const int* input, int* counts, int n, int bins) {
    clear<<<bins / 256 + 1, 256>>>(counts, bins);
    count<<<(n - 1) / 256 + 1, 256>>>(input, counts, n);
}
