#include <cuda_runtime.h>

// y[i] = alpha * x[i] + y[i]. The arrays are in host memory, and a kernel cannot reach them there.
// Fill the four holes.

__global__ void saxpy(const float* x, float* y, float alpha, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        // 1. Compute element i.
    }
}

extern "C" void solve(const float* x, float* y, float alpha, int n) {
    size_t bytes = n * sizeof(float);
    float* device_x;
    cudaMalloc(&device_x, bytes);
    // 2. Allocate device memory for y too.
    cudaMemcpy(device_x, x, bytes, cudaMemcpyHostToDevice);
    // 3. Copy y to the device, and launch saxpy with both device pointers: (n + 255) / 256 blocks of 256 threads.
    // 4. Copy the result back to y with cudaMemcpyDeviceToHost, and free both allocations.
    cudaFree(device_x);
}
