// Wrong: the kernel on device 0 follows a pointer to memory of device 1. All devices share one range of addresses, so the
// pointer looks like any other, but the access needs cudaDeviceEnablePeerAccess first.
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
    int half = n / 2;
    if (half == 0) return;
    exchange<<<(half + 255) / 256, 256>>>(a + n - half, b, half);
}
