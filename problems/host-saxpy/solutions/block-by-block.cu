// Right, but every copy has a fixed cost of some microseconds, in which the link could move a hundred kilobytes. Copies of
// one kilobyte each are mostly overhead.
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
    for (int first = 0; first < n; first += 256) {
        int count = n - first < 256 ? n - first : 256;
        cudaMemcpy(y + first, device_y + first, count * sizeof(float), cudaMemcpyDeviceToHost);
    }
    cudaFree(device_x);
    cudaFree(device_y);
}
