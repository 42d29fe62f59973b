// Right, but in one piece: the link is idle while the host copies, and the host while the link moves the data. It pins as much
// memory as the array has.
#include <cuda_runtime.h>

#include <cstring>

__global__ void square(float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] *= y[i];
    }
}

extern "C" void solve(const float* x, float* y, int n) {
    float* pinned;
    cudaMallocHost(&pinned, n * sizeof(float));
    std::memcpy(pinned, x, n * sizeof(float));
    cudaMemcpyAsync(y, pinned, n * sizeof(float), cudaMemcpyHostToDevice);
    square<<<(n + 255) / 256, 256>>>(y, n);
    cudaDeviceSynchronize();
    cudaFreeHost(pinned);
}
