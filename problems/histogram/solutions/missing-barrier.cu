// Wrong: there is a barrier after the counters are set to zero, and none before they are handed over. The first
// thread hands over its bins when it has counted its own elements, whatever the others are doing.
#include <cuda_runtime.h>

constexpr int kMostBins = 8192;

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
    // __syncthreads() belongs here.
    for (int i = threadIdx.x; i < kMostBins && first_bin + i < bins; i += blockDim.x) {
        atomicAdd(&counts[first_bin + i], counters[i]);
    }
}

extern "C" void solve(const int* input, int* counts, int n, int bins) {
    cudaMemset(counts, 0, bins * sizeof(int));
    for (int first_bin = 0; first_bin < bins; first_bin += kMostBins) {
        count<<<16, 512>>>(input, counts, n, first_bin, bins);
    }
}
