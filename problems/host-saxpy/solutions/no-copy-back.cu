// Wrong: the kernel changes the copy of y in device memory, and the array on the host keeps its old values. Nothing connects the
// two but the copies that a program makes.
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
    cudaFree(device_x);
    cudaFree(device_y);
}
