// Wrong: y is the result, so only x is copied to the device. But y is read too. New device memory holds arbitrary bits, on a
// fresh GPU often zeros, and then the result is alpha times x.
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
    saxpy<<<(n + 255) / 256, 256>>>(device_x, device_y, alpha, n);
    cudaMemcpy(y, device_y, bytes, cudaMemcpyDeviceToHost);
    cudaFree(device_x);
    cudaFree(device_y);
}
