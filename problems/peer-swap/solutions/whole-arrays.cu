// Right, but it sends both arrays whole and uses a half of each. Twice as many bytes cross the link, and the link is
// what limits the exchange.
#include <cuda_runtime.h>

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
    size_t all = n * sizeof(float), bytes = half * sizeof(float);
    float* buffer[2];
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        cudaMalloc(&buffer[device], all);
    }
    cudaMemcpyPeer(buffer[0], 0, b, 1, all);
    cudaMemcpyPeer(buffer[1], 1, a, 0, all);
    cudaMemcpy(a + n - half, buffer[0], bytes, cudaMemcpyDeviceToDevice);
    cudaMemcpy(b, buffer[1] + n - half, bytes, cudaMemcpyDeviceToDevice);
    cudaFree(buffer[0]);
    cudaFree(buffer[1]);
}
