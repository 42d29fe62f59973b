// Right, but every copy has a fixed cost of some microseconds, in which the link could move a hundred kilobytes. A million
// copies of four bytes take seconds.
#include <cuda_runtime.h>

__global__ void saxpy(const float* x, float* y, float alpha, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = alpha * x[i] + y[i];
    }
}

extern "C" void solve(const float* x, float* y, float alpha, int n) {
    size_t bytes = n * sizeof(float);
    float *device_x, *device_y;
    cudaMalloc(&device_x, bytes);
    cudaMalloc(&device_y, bytes);
    cudaMemcpy(device_x, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(device_y, y, bytes, cudaMemcpyHostToDevice);
    saxpy<<<(n + 255) / 256, 256>>>(device_x, device_y, alpha, n);
    for (int i = 0; i < n; ++i) {
        cudaMemcpy(y + i, device_y + i, sizeof(float), cudaMemcpyDeviceToHost);
    }
    cudaFree(device_x);
    cudaFree(device_y);
}
