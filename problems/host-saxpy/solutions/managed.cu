// Managed memory has one pointer for host code and kernels, and its pages move when they are touched. x and y are not
// managed, so two copies within host memory remain. Bound by the moving pages.
#include <cuda_runtime.h>

#include <cstring>

__global__ void saxpy(const float* x, float* y, float alpha, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = alpha * x[i] + y[i];
    }
}

extern "C" void solve(const float* x, float* y, float alpha, int n) {
    size_t bytes = n * sizeof(float);
    float *both_x, *both_y;
    cudaMallocManaged(&both_x, bytes);
    cudaMallocManaged(&both_y, bytes);
    std::memcpy(both_x, x, bytes);
    std::memcpy(both_y, y, bytes);
    saxpy<<<(n + 255) / 256, 256>>>(both_x, both_y, alpha, n);
    cudaDeviceSynchronize();  // before the host reads what the kernel writes
    std::memcpy(y, both_y, bytes);
    cudaFree(both_x);
    cudaFree(both_y);
}
