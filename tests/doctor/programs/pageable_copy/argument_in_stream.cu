// problem: host-saxpy
#include <cuda_runtime.h>

__global__ void saxpy(const float* x, float* y, float alpha, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = alpha * x[i] + y[i];
    }
}

extern "C" void solve(const float* x, float* y, float alpha, int n) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    float *on_device, *results;
    cudaMalloc(&on_device, n * sizeof(float));
    cudaMalloc(&results, n * sizeof(float));
    cudaMemcpy(results, y, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpyAsync(on_device, x, n * sizeof(float), cudaMemcpyHostToDevice, stream);  // doctor: pageable_copy
    saxpy<<<(n + 255) / 256, 256, 0, stream>>>(on_device, results, alpha, n);
    cudaStreamSynchronize(stream);
    cudaMemcpy(y, results, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(on_device);
    cudaFree(results);
    cudaStreamDestroy(stream);
}
