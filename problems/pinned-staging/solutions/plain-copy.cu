// Right, but x is pageable: the driver copies it to a buffer of its own, piece by piece, and the host waits for all of it.
#include <cuda_runtime.h>

__global__ void square(float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] *= y[i];
    }
}

extern "C" void solve(const float* x, float* y, int n) {
    cudaMemcpy(y, x, n * sizeof(float), cudaMemcpyHostToDevice);
    square<<<(n + 255) / 256, 256>>>(y, n);
}
