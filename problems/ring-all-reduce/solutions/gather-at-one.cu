// Right, and all devices together send 6n elements, as few as in the ring. But device 0 receives 3n of them and sends
// 3n, while the others have nothing to do. So it takes as long as the links of one device need for everything: four
// times as long as the ring, and p times as long with p devices. Let every device add a quarter.
#include <cuda_runtime.h>

constexpr int kDevices = 4;

__global__ void sum(float* own, const float* received, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        own[i] += received[i] + received[n + i] + received[2 * n + i];
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
    cudaSetDevice(0);
    cudaStream_t stream;
    float* buffer;
    cudaStreamCreate(&stream);
    cudaMalloc(&buffer, 3 * n * sizeof(float));
    for (int d = 1; d < kDevices; ++d) {
        cudaMemcpyPeerAsync(buffer + (d - 1) * n, 0, x[d], d, n * sizeof(float), stream);
    }
    sum<<<(n + 255) / 256, 256, 0, stream>>>(x[0], buffer, n);
    for (int d = 1; d < kDevices; ++d) {
        cudaMemcpyPeerAsync(x[d], d, x[0], 0, n * sizeof(float), stream);
    }
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(buffer);
}
