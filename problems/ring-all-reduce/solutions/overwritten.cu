// Wrong: four kernels run at the same time, and each overwrites an array that the three others still read. They may add
// a sum instead of a value. Divide the elements among the devices, so that each element has one reader that also stores
// it.
#include <cuda_runtime.h>

constexpr int kDevices = 4;

__global__ void sum(const float* x0, const float* x1, const float* x2, const float* x3, float* total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        total[i] = (x0[i] + x1[i]) + (x2[i] + x3[i]);
    }
}

static void enable_peer_access() {
    for (int device = 0; device < kDevices; ++device) {
        cudaSetDevice(device);
        for (int peer = 0; peer < kDevices; ++peer) {
            if (peer != device && cudaDeviceEnablePeerAccess(peer, 0) == cudaErrorPeerAccessAlreadyEnabled) {
                cudaGetLastError();  // an earlier call of solve has enabled it
            }
        }
    }
}

extern "C" void solve(float* x0, float* x1, float* x2, float* x3, int n) {
    enable_peer_access();
    float* x[kDevices] = {x0, x1, x2, x3};
    for (int d = 0; d < kDevices; ++d) {
        cudaSetDevice(d);
        sum<<<(n + 255) / 256, 256>>>(x0, x1, x2, x3, x[d], n);
    }
}
