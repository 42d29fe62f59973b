// problem: reduction-sum
#include <cuda_runtime.h>

#include <cstdlib>

__global__ void sum(const float* input, float* parts, int n) {
    int first = blockIdx.x * 64 + threadIdx.x;
    float value = first < n ? input[first] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, offset);
    }
    if (threadIdx.x % 32 == 0) {
        parts[2 * blockIdx.x + threadIdx.x / 32] = value;
    }
}

// The host adds up the sums of the warps.
extern "C" void solve(const float* input, float* output, int n) {
    int blocks = (n + 63) / 64;
    float* parts;
    cudaMalloc(&parts, 2 * blocks * sizeof(float));
    float* on_host = static_cast<float*>(std::malloc(2 * blocks * sizeof(float)));
    sum<<<blocks, 64>>>(input, parts, n);
    cudaMemcpyAsync(on_host, parts, 2 * blocks * sizeof(float), cudaMemcpyDeviceToHost, 0);  // doctor: pageable_copy
    cudaStreamSynchronize(0);
    double total = 0;
    for (int i = 0; i < 2 * blocks; ++i) {
        total += on_host[i];
    }
    float result = static_cast<float>(total);
    cudaMemcpy(output, &result, sizeof result, cudaMemcpyHostToDevice);
    std::free(on_host);
    cudaFree(parts);
}
