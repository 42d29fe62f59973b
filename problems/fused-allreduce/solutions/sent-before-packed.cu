// Wrong: the copies are in another stream than the kernels that pack, and nothing orders the two. A copy may leave with the old content of the
// buffer. Record an event after the packing, or use the same stream.
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

// Where element i of the fused buffer is in the arrays. Its tensor is the last one that begins at or before i: empty tensors
// begin at the same offset as the next one.
__device__ int place_of(const int* starts, const int* offsets, int k, int i) {
    int low = 0, high = k;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (offsets[middle] <= i) low = middle;
        else high = middle;
    }
    return starts[low] + i - offsets[low];
}

__global__ void pack(const float* grads, const int* starts, const int* offsets, int k, __half* fused, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) fused[i] = __float2half(grads[place_of(starts, offsets, k, i)]);
}

__global__ void average(float* grads, const int* starts, const int* offsets, int k, const __half* own, const __half* received,
                        int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) grads[place_of(starts, offsets, k, i)] = 0.5f * (__half2float(own[i]) + __half2float(received[i]));
}

extern "C" void solve(float* grads0, float* grads1, const int* starts, const int* offsets, int k, int count, int gaps) {
    enable_peer_access();
    float* grads[2] = {grads0, grads1};
    int blocks = (count + 255) / 256;
    size_t bytes = count * sizeof(__half);
    int *place[2], *offset[2];
    __half *fused[2], *received[2];
    cudaStream_t stream[2], link[2];
    cudaEvent_t sent[2];
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        cudaMalloc(&place[device], k * sizeof(int));
        cudaMalloc(&offset[device], (k + 1) * sizeof(int));
        cudaMalloc(&fused[device], bytes);
        cudaMalloc(&received[device], bytes);
        cudaStreamCreate(&stream[device]);
        cudaStreamCreate(&link[device]);
        cudaEventCreateWithFlags(&sent[device], cudaEventDisableTiming);
        cudaMemcpyAsync(place[device], starts, k * sizeof(int), cudaMemcpyHostToDevice, stream[device]);
        cudaMemcpyAsync(offset[device], offsets, (k + 1) * sizeof(int), cudaMemcpyHostToDevice, stream[device]);
    }
    for (int device = 0; device < 2; ++device) {
        int peer = 1 - device;
        cudaSetDevice(device);
        pack<<<blocks, 256, 0, stream[device]>>>(grads[device], place[device], offset[device], k, fused[device], count);
        cudaMemcpyPeerAsync(received[peer], peer, fused[device], device, bytes, link[device]);
        cudaEventRecord(sent[device], link[device]);
    }
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        cudaStreamWaitEvent(stream[device], sent[1 - device], 0);
        average<<<blocks, 256, 0, stream[device]>>>(grads[device], place[device], offset[device], k, fused[device],
                                                    received[device], count);
    }
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        cudaDeviceSynchronize();
    }
    for (int device = 0; device < 2; ++device) {
        cudaStreamDestroy(stream[device]);
        cudaStreamDestroy(link[device]);
        cudaEventDestroy(sent[device]);
        cudaFree(place[device]);
        cudaFree(offset[device]);
        cudaFree(fused[device]);
        cudaFree(received[device]);
    }
}
