// Wrong: peer access has a direction. This lets device 1 access memory of device 0, because device 1 is current in the call, but
// the kernel runs on device 0.
#include <cuda_runtime.h>

__global__ void exchange(float* mine, float* other, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float kept = mine[i];
        mine[i] = other[i];
        other[i] = kept;
    }
}

extern "C" void solve(float* a, float* b, int n) {
    cudaSetDevice(1);
    if (cudaDeviceEnablePeerAccess(0, 0) == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();
    }
    cudaSetDevice(0);
    int half = n / 2;
    if (half == 0) return;
    exchange<<<(half + 255) / 256, 256>>>(a + n - half, b, half);
}
