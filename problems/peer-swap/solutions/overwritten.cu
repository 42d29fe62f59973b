// Wrong: the half of b goes straight into the place of the half of a, which has not been sent yet. What comes back is the
// half of b again. One of the two halves needs a buffer.
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
    size_t bytes = half * sizeof(float);
    cudaMemcpyPeer(a + n - half, 0, b, 1, bytes);
    cudaMemcpyPeer(b, 1, a + n - half, 0, bytes);
}
