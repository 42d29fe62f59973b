// Wrong: it averages the whole arrays and ignores where the tensors are. What is between the tensors does not belong to the gradients, and
// another part of the program may keep something there.
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

__global__ void pack(const float* grads, __half* fused, int length) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length) fused[i] = __float2half(grads[i]);
}

__global__ void average(float* grads, const __half* own, const __half* received, int length) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length) grads[i] = 0.5f * (__half2float(own[i]) + __half2float(received[i]));
}

extern "C" void solve(float* grads0, float* grads1, const int* starts, const int* offsets, int k, int count, int gaps) {
    enable_peer_access();
    float* grads[2] = {grads0, grads1};
    int length = count + gaps, blocks = (length + 255) / 256;
    size_t bytes = length * sizeof(__half);
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
        pack<<<blocks, 256, 0, stream[device]>>>(grads[device], fused[device], length);
        cudaMemcpyPeerAsync(received[peer], peer, fused[device], device, bytes, stream[device]);
        cudaEventRecord(sent[device], stream[device]);
    }
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        cudaStreamWaitEvent(stream[device], sent[1 - device], 0);
        average<<<blocks, 256, 0, stream[device]>>>(grads[device], fused[device], received[device], length);
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
