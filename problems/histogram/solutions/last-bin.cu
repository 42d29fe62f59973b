// Wrong: the private counts are handed over up to bins - 1, so the last bin keeps the zero that it was set to.
// In the example it is empty, and nothing shows.
#include <cuda_runtime.h>

constexpr int kMostBins = 12288;

__global__ void count(const int* input, int* counts, int n, int first_bin, int bins) {
    __shared__ int counters[kMostBins];
    for (int i = threadIdx.x; i < kMostBins; i += blockDim.x) {
        counters[i] = 0;
    }
    __syncthreads();
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
        int bin = input[i] - first_bin;
        if (bin >= 0 && bin < kMostBins) {
            atomicAdd(&counters[bin], 1);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kMostBins && first_bin + i < bins - 1; i += blockDim.x) {
        atomicAdd(&counts[first_bin + i], counters[i]);
    }
}

extern "C" void solve(const int* input, int* counts, int n, int bins) {
    cudaMemset(counts, 0, bins * sizeof(int));
    for (int first_bin = 0; first_bin < bins; first_bin += kMostBins) {
        count<<<16, 512>>>(input, counts, n, first_bin, bins);
    }
}
