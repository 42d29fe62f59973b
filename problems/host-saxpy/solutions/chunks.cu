// Two buffers of fixed size on the device, through which the arrays pass in chunks. It needs the same transfers, but no more than
// 512 KiB of device memory for any n. Bound by the link, as all programs here.
#include <cuda_runtime.h>

constexpr int kChunk = 64 * 1024;

__global__ void saxpy(const float* x, float* y, float alpha, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = alpha * x[i] + y[i];
    }
}

extern "C" void solve(const float* x, float* y, float alpha, int n) {
    float *device_x, *device_y;
    cudaMalloc(&device_x, kChunk * sizeof(float));
    cudaMalloc(&device_y, kChunk * sizeof(float));
    for (int first = 0; first < n; first += kChunk) {
        int count = n - first < kChunk ? n - first : kChunk;
        cudaMemcpy(device_x, x + first, count * sizeof(float), cudaMemcpyHostToDevice);
        cudaMemcpy(device_y, y + first, count * sizeof(float), cudaMemcpyHostToDevice);
        saxpy<<<(count + 255) / 256, 256>>>(device_x, device_y, alpha, count);
        cudaMemcpy(y + first, device_y, count * sizeof(float), cudaMemcpyDeviceToHost);
    }
    cudaFree(device_x);
    cudaFree(device_y);
}
