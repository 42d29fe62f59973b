// Wrong: the pointer from cudaMalloc is a device address, and the loop runs on the host. The first write fails. Copy with
// cudaMemcpy, which knows both kinds of memory.
#include <cuda_runtime.h>

__global__ void saxpy(const float* x, float* y, float alpha, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = alpha * x[i] + y[i];
    }
}

extern "C" void solve(const float* x, float* y, float alpha, int n) {
    float *device_x, *device_y;
    cudaMalloc(&device_x, n * sizeof(float));
    cudaMalloc(&device_y, n * sizeof(float));
    for (int i = 0; i < n; ++i) {
        device_x[i] = x[i];
        device_y[i] = y[i];
    }
    saxpy<<<(n + 255) / 256, 256>>>(device_x, device_y, alpha, n);
    cudaMemcpy(y, device_y, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(device_x);
    cudaFree(device_y);
}
