// Wrong: each element counts the smaller ones and goes to that place. Equal elements count the same
// number and land on the same place; the places after it keep whatever was there. Ties have to be
// broken, by index for instance.
#include <cuda_runtime.h>

__global__ void rank_sort(const float* from, float* to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    int rank = 0;
    for (int j = 0; j < n; ++j) {
        rank += from[j] < from[i];
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
