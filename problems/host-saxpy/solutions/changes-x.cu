// Wrong: the result goes to y, where it belongs, and to x as well. x is an input and must stay as it is, also in host
// memory: the caller may need it again.
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
    cudaMemcpy(y, device_y, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(const_cast<float*>(x), device_y, bytes, cudaMemcpyDeviceToHost);
    cudaFree(device_x);
    cudaFree(device_y);
}
