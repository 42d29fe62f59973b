// Right, and there are two messages. But each tensor is packed and unpacked by launches of its own. A launch takes a few microseconds, in
// which a GPU could convert megabytes, and most tensors are so short that one block is enough.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

static void enable_peer_access() {
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        if (cudaDeviceEnablePeerAccess(1 - device, 0) == cudaErrorPeerAccessAlreadyEnabled) {
            cudaGetLastError();  // an earlier call of solve has enabled it
        }
    }
}

__global__ void pack(const float* tensor, __half* fused, int size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) fused[i] = __float2half(tensor[i]);
}

__global__ void average(float* tensor, const __half* own, const __half* received, int size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) tensor[i] = 0.5f * (__half2float(own[i]) + __half2float(received[i]));
}

extern "C" void solve(float* grads0, float* grads1, const int* starts, const int* offsets, int k, int count, int gaps) {
    enable_peer_access();
    float* grads[2] = {grads0, grads1};
    size_t bytes = count * sizeof(__half);
    __half *fused[2], *received[2];
    cudaStream_t stream[2];
    cudaEvent_t sent[2];
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        cudaMalloc(&fused[device], bytes);
        cudaMalloc(&received[device], bytes);
        cudaStreamCreate(&stream[device]);
        cudaEventCreateWithFlags(&sent[device], cudaEventDisableTiming);
    }
    for (int device = 0; device < 2; ++device) {
        int peer = 1 - device;
        cudaSetDevice(device);
        for (int tensor = 0; tensor < k; ++tensor) {
            int at = offsets[tensor], size = offsets[tensor + 1] - at;
            if (size == 0) continue;  // a grid must have a block
            pack<<<(size + 255) / 256, 256, 0, stream[device]>>>(grads[device] + starts[tensor], fused[device] + at, size);
        }
        cudaMemcpyPeerAsync(received[peer], peer, fused[device], device, bytes, stream[device]);
        cudaEventRecord(sent[device], stream[device]);
    }
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        cudaStreamWaitEvent(stream[device], sent[1 - device], 0);
        for (int tensor = 0; tensor < k; ++tensor) {
            int at = offsets[tensor], size = offsets[tensor + 1] - at;
            if (size == 0) continue;
            average<<<(size + 255) / 256, 256, 0, stream[device]>>>(grads[device] + starts[tensor], fused[device] + at,
                                                                    received[device] + at, size);
        }
    }
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        cudaDeviceSynchronize();
    }
    for (int device = 0; device < 2; ++device) {
        cudaStreamDestroy(stream[device]);
        cudaEventDestroy(sent[device]);
        cudaFree(fused[device]);
        cudaFree(received[device]);
    }
}
