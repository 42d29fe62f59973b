// Wrong: sizes are in bytes, so this copies a quarter of each array. The last copy leaves three quarters of y as they were. An array
// of one element shows it as well: one byte of four arrives.
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
    cudaMemcpy(device_x, x, n, cudaMemcpyHostToDevice);
    cudaMemcpy(device_y, y, n, cudaMemcpyHostToDevice);
    saxpy<<<(n + 255) / 256, 256>>>(device_x, device_y, alpha, n);
    cudaMemcpy(y, device_y, n, cudaMemcpyDeviceToHost);
    cudaFree(device_x);
    cudaFree(device_y);
}
