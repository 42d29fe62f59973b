// Wrong: a stream belongs to the device that was current when it was created. By the rules of CUDA, a launch in it fails while
// another device is current, with cudaErrorInvalidResourceHandle, and nothing runs. Copies do not mind, and recent drivers
// launch the kernel, which makes the mistake hard to see.
#include <cuda_runtime.h>

__global__ void exchange(float* mine, float* other, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float kept = mine[i];
        mine[i] = other[i];
        other[i] = kept;
    }
}

static void enable_peer_access() {
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        if (cudaDeviceEnablePeerAccess(1 - device, 0) == cudaErrorPeerAccessAlreadyEnabled) {
            cudaGetLastError();  // an earlier call of solve has enabled it
        }
    }
}

extern "C" void solve(float* a, float* b, int n) {
    enable_peer_access();
    int half = n / 2;
    if (half == 0) return;
    cudaStream_t stream;
    cudaSetDevice(1);
    cudaStreamCreate(&stream);
    cudaSetDevice(0);
    exchange<<<(half + 255) / 256, 256, 0, stream>>>(a + n - half, b, half);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
}
