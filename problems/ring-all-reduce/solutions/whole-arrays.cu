// Right, but every device sends its whole array to the three others: 12n elements instead of 6n. Each sum is computed
// four times, once on each device. With more devices, each sends p - 1 arrays, whereas the ring never sends more than
// two.
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
    float* buffer[kDevices];
    cudaStream_t stream[kDevices];
    cudaEvent_t sent[kDevices];
    for (int d = 0; d < kDevices; ++d) {
        cudaSetDevice(d);
        cudaMalloc(&buffer[d], (kDevices - 1) * n * sizeof(float));
        cudaStreamCreate(&stream[d]);
        cudaEventCreateWithFlags(&sent[d], cudaEventDisableTiming);
    }
    for (int d = 0; d < kDevices; ++d) {
        for (int step = 1; step < kDevices; ++step) {
            int peer = (d + step) % kDevices;
            cudaMemcpyPeerAsync(buffer[peer] + (step - 1) * n, peer, x[d], d, n * sizeof(float), stream[d]);
        }
        cudaEventRecord(sent[d], stream[d]);
    }
    for (int d = 0; d < kDevices; ++d) {
        cudaSetDevice(d);
        for (int peer = 0; peer < kDevices; ++peer) {
            cudaStreamWaitEvent(stream[d], sent[peer], 0);
        }
        sum<<<(n + 255) / 256, 256, 0, stream[d]>>>(x[d], buffer[d], n);
    }
    for (int d = 0; d < kDevices; ++d) {
        cudaStreamSynchronize(stream[d]);
        cudaStreamDestroy(stream[d]);
        cudaEventDestroy(sent[d]);
    }
    for (int d = 0; d < kDevices; ++d) {
        cudaFree(buffer[d]);
    }
}
