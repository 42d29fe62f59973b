// problem: vector-add
#include <cuda_runtime.h>

#include <vector>

__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// A copy of b, by way of the host.
extern "C" void solve(const float* a, const float* b, float* c, int n) {
    std::vector<float> between(n);
    float* copy;
    cudaMalloc(&copy, n * sizeof(float));
    cudaMemcpy(between.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);  // doctor: pageable_copy
    cudaMemcpy(copy, between.data(), n * sizeof(float), cudaMemcpyHostToDevice);  // doctor: pageable_copy
    add<<<(n + 255) / 256, 256>>>(a, copy, c, n);
    cudaFree(copy);
}
