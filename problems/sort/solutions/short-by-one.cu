// Wrong, off by one: a counting rank sort over the first n - 1 elements only. The last one neither
// moves nor is taken into account, so everything that should come after it stands one place too early.
#include <cuda_runtime.h>

__global__ void rank_sort(const float* from, float* to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1) {
        return;
    }
    int rank = 0;
    for (int j = 0; j < n - 1; ++j) {
        rank += from[j] < from[i] || (from[j] == from[i] && j < i);
    }
    to[rank] = from[i];
}

extern "C" void solve(float* data, int n) {
    float* copy;
    cudaMalloc(&copy, n * sizeof(float));
    cudaMemcpy(copy, data, n * sizeof(float), cudaMemcpyDeviceToDevice);
    rank_sort<<<(n + 255) / 256, 256>>>(copy, data, n);
    cudaFree(copy);
}
