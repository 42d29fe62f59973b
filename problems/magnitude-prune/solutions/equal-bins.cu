// Wrong: one histogram with 1024 bins of equal width between 0 and 4. It finds the bin of the threshold, and all
// weights of this bin are kept. The mask has nearly `keep` ones. Select within the bin again, until its weights are
// all equal.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kBins = 1024;

__device__ unsigned bins[kBins];
__device__ int threshold;

__device__ int bin_of(float weight) { return min(int(fabsf(weight) * (kBins / 4)), kBins - 1); }

__global__ void begin() { bins[threadIdx.x] = 0; }

__global__ void count(const float* w, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) {
        atomicAdd(&bins[bin_of(w[i])], 1);
    }
}

__global__ void choose(int keep) {
    int places = keep;
    int bin = kBins - 1;
    while (int(bins[bin]) < places) {
        places -= bins[bin--];
    }
    threshold = bin;
}

__global__ void mark(const float* w, unsigned char* mask, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) {
        mask[i] = bin_of(w[i]) >= threshold;
    }
}

extern "C" void solve(const float* w, unsigned char* mask, int n, int keep) {
    int blocks = (n + kThreads - 1) / kThreads;
    begin<<<1, kBins>>>();
    count<<<blocks, kThreads>>>(w, n);
    choose<<<1, 1>>>(keep);
    mark<<<blocks, kThreads>>>(w, mask, n);
}
