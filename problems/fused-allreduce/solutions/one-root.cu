// Device 1 sends its buffer to device 0, which averages and sends the averages back. That takes two messages, and one direction of the
// link at a time, so twice as long as an exchange. Device 0 adds its own values before they are rounded. But it must store the
// rounded averages, which the other device receives, or the two differ.
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

__global__ void average(float* grads, const int* starts, const int* offsets, int k, __half* fused, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int place = place_of(starts, offsets, k, i);
    __half mean = __float2half(0.5f * (grads[place] + __half2float(fused[i])));
    fused[i] = mean;
    grads[place] = __half2float(mean);
}

__global__ void unpack(float* grads, const int* starts, const int* offsets, int k, const __half* fused, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) grads[place_of(starts, offsets, k, i)] = __half2float(fused[i]);
}

extern "C" void solve(float* grads0, float* grads1, const int* starts, const int* offsets, int k, int count, int gaps) {
    enable_peer_access();
    int blocks = (count + 255) / 256;
    size_t bytes = count * sizeof(__half);
    int *place[2], *offset[2];
    __half* fused[2];
    cudaStream_t stream[2];
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        cudaMalloc(&place[device], k * sizeof(int));
        cudaMalloc(&offset[device], (k + 1) * sizeof(int));
        cudaMalloc(&fused[device], bytes);
        cudaStreamCreate(&stream[device]);
        cudaMemcpyAsync(place[device], starts, k * sizeof(int), cudaMemcpyHostToDevice, stream[device]);
        cudaMemcpyAsync(offset[device], offsets, (k + 1) * sizeof(int), cudaMemcpyHostToDevice, stream[device]);
    }
    cudaEvent_t arrived, averaged;
    cudaSetDevice(1);
    cudaEventCreateWithFlags(&arrived, cudaEventDisableTiming);
    pack<<<blocks, 256, 0, stream[1]>>>(grads1, place[1], offset[1], k, fused[1], count);
    cudaMemcpyPeerAsync(fused[0], 0, fused[1], 1, bytes, stream[1]);
    cudaEventRecord(arrived, stream[1]);

    cudaSetDevice(0);
    cudaEventCreateWithFlags(&averaged, cudaEventDisableTiming);
    cudaStreamWaitEvent(stream[0], arrived, 0);
    average<<<blocks, 256, 0, stream[0]>>>(grads0, place[0], offset[0], k, fused[0], count);
    cudaMemcpyPeerAsync(fused[1], 1, fused[0], 0, bytes, stream[0]);
    cudaEventRecord(averaged, stream[0]);

    cudaSetDevice(1);
    cudaStreamWaitEvent(stream[1], averaged, 0);
    unpack<<<blocks, 256, 0, stream[1]>>>(grads1, place[1], offset[1], k, fused[1], count);
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        cudaDeviceSynchronize();
    }
    for (int device = 0; device < 2; ++device) {
        cudaStreamDestroy(stream[device]);
        cudaFree(place[device]);
        cudaFree(offset[device]);
        cudaFree(fused[device]);
    }
    cudaEventDestroy(arrived);
    cudaEventDestroy(averaged);
}
