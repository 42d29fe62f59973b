// The fused buffer goes in two buckets, each a message in each direction. While the first bucket is on the link, the device
// packs the second one. In training, the buckets fill in the order of the backward pass, and the first ones leave long before the
// last gradient exists. Bound by the link, with less time in which it waits for the packing.
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

__global__ void pack(const float* grads, const int* starts, const int* offsets, int k, __half* fused, int from,
                     int to) {
    int i = from + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < to) fused[i] = __float2half(grads[place_of(starts, offsets, k, i)]);
}

__global__ void average(float* grads, const int* starts, const int* offsets, int k, const __half* own, const __half* received,
                        int from, int to) {
    int i = from + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < to) grads[place_of(starts, offsets, k, i)] = 0.5f * (__half2float(own[i]) + __half2float(received[i]));
}

extern "C" void solve(float* grads0, float* grads1, const int* starts, const int* offsets, int k, int count, int gaps) {
    enable_peer_access();
    float* grads[2] = {grads0, grads1};
    int bound[3] = {0, count / 2, count};  // of the buckets
    size_t bytes = count * sizeof(__half);
    int *place[2], *offset[2];
    __half *fused[2], *received[2];
    cudaStream_t stream[2], link[2];
    cudaEvent_t packed[2][2], sent[2][2];
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        cudaMalloc(&place[device], k * sizeof(int));
        cudaMalloc(&offset[device], (k + 1) * sizeof(int));
        cudaMalloc(&fused[device], bytes);
        cudaMalloc(&received[device], bytes);
        cudaStreamCreate(&stream[device]);
        cudaStreamCreate(&link[device]);
        for (int bucket = 0; bucket < 2; ++bucket) {
            cudaEventCreateWithFlags(&packed[device][bucket], cudaEventDisableTiming);
            cudaEventCreateWithFlags(&sent[device][bucket], cudaEventDisableTiming);
        }
        cudaMemcpyAsync(place[device], starts, k * sizeof(int), cudaMemcpyHostToDevice, stream[device]);
        cudaMemcpyAsync(offset[device], offsets, (k + 1) * sizeof(int), cudaMemcpyHostToDevice, stream[device]);
    }
    for (int bucket = 0; bucket < 2; ++bucket) {
        int from = bound[bucket], to = bound[bucket + 1];
        if (from == to) continue;  // a single element leaves the first bucket empty
        for (int device = 0; device < 2; ++device) {
            int peer = 1 - device;
            cudaSetDevice(device);
            pack<<<(to - from + 255) / 256, 256, 0, stream[device]>>>(grads[device], place[device], offset[device], k,
                                                                      fused[device], from, to);
            cudaEventRecord(packed[device][bucket], stream[device]);
            cudaStreamWaitEvent(link[device], packed[device][bucket], 0);
            cudaMemcpyPeerAsync(received[peer] + from, peer, fused[device] + from, device, (to - from) * sizeof(__half),
                                link[device]);
            cudaEventRecord(sent[device][bucket], link[device]);
        }
    }
    for (int bucket = 0; bucket < 2; ++bucket) {
        int from = bound[bucket], to = bound[bucket + 1];
        if (from == to) continue;
        for (int device = 0; device < 2; ++device) {
            cudaSetDevice(device);
            cudaStreamWaitEvent(stream[device], sent[1 - device][bucket], 0);
            average<<<(to - from + 255) / 256, 256, 0, stream[device]>>>(grads[device], place[device], offset[device], k,
                                                                         fused[device], received[device], from, to);
        }
    }
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        cudaDeviceSynchronize();
    }
    for (int device = 0; device < 2; ++device) {
        cudaStreamDestroy(stream[device]);
        cudaStreamDestroy(link[device]);
        for (int bucket = 0; bucket < 2; ++bucket) {
            cudaEventDestroy(packed[device][bucket]);
            cudaEventDestroy(sent[device][bucket]);
        }
        cudaFree(place[device]);
        cudaFree(offset[device]);
        cudaFree(fused[device]);
        cudaFree(received[device]);
    }
}
