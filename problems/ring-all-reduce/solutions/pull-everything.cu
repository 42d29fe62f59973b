// Right, and no copy crosses a link. But the kernel of each device reads the whole arrays of the three others through
// peer access: 12n elements instead of 6n, and it adds up all of them. A device has to add only a quarter, and can
// fetch the sums of the others.
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
    float* buffer[kDevices];
    cudaStream_t stream[kDevices];
    cudaEvent_t read[kDevices];
    for (int d = 0; d < kDevices; ++d) {
        cudaSetDevice(d);
        cudaMalloc(&buffer[d], n * sizeof(float));
        cudaStreamCreate(&stream[d]);
        cudaEventCreateWithFlags(&read[d], cudaEventDisableTiming);
    }
    for (int d = 0; d < kDevices; ++d) {
        cudaSetDevice(d);
        sum<<<(n + 255) / 256, 256, 0, stream[d]>>>(x0, x1, x2, x3, buffer[d], n);
        cudaEventRecord(read[d], stream[d]);
    }
    for (int d = 0; d < kDevices; ++d) {
        for (int peer = 0; peer < kDevices; ++peer) {
            cudaStreamWaitEvent(stream[d], read[peer], 0);
        }
        cudaMemcpyAsync(x[d], buffer[d], n * sizeof(float), cudaMemcpyDeviceToDevice, stream[d]);
    }
    for (int d = 0; d < kDevices; ++d) {
        cudaStreamSynchronize(stream[d]);
        cudaStreamDestroy(stream[d]);
        cudaEventDestroy(read[d]);
    }
    for (int d = 0; d < kDevices; ++d) {
        cudaFree(buffer[d]);
    }
}
