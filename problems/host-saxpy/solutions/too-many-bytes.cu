// Wrong: the arrays are rounded up to whole blocks on the device, which is fine, but then the rounded size is copied from
// and to the host, where the arrays have n elements. The copy reads and writes memory of others.
#include <cuda_runtime.h>

__global__ void saxpy(const float* x, float* y, float alpha, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = alpha * x[i] + y[i];
    }
}

extern "C" void solve(const float* x, float* y, float alpha, int n) {
    int padded = (n / 256 + 1) * 256;
    size_t bytes = padded * sizeof(float);
    float *device_x, *device_y;
    cudaMalloc(&device_x, bytes);
    cudaMalloc(&device_y, bytes);
    cudaMemcpy(device_x, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(device_y, y, bytes, cudaMemcpyHostToDevice);
    saxpy<<<padded / 256, 256>>>(device_x, device_y, alpha, n);
    cudaMemcpy(y, device_y, bytes, cudaMemcpyDeviceToHost);
    cudaFree(device_x);
    cudaFree(device_y);
}
