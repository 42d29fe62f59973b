// Right, with one kernel and no message: device 0 reads and writes float32 in memory of device 1. That works in one machine with peer access.
// It sends twice as many bytes, in pieces as short as the tensors, and the other device waits. Between machines, only
// messages work.
#include <cuda_runtime.h>

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

__global__ void average(float* grads0, float* grads1, const int* starts, const int* offsets, int k, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int place = place_of(starts, offsets, k, i);
    float mean = 0.5f * (grads0[place] + grads1[place]);
    grads0[place] = mean;
    grads1[place] = mean;
}

extern "C" void solve(float* grads0, float* grads1, const int* starts, const int* offsets, int k, int count, int gaps) {
    if (cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();  // an earlier call of solve has enabled it
    }
    int *place, *offset;
    cudaMalloc(&place, k * sizeof(int));
    cudaMalloc(&offset, (k + 1) * sizeof(int));
    cudaMemcpy(place, starts, k * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(offset, offsets, (k + 1) * sizeof(int), cudaMemcpyHostToDevice);
    average<<<(count + 255) / 256, 256>>>(grads0, grads1, place, offset, k, count);
    cudaFree(place);
    cudaFree(offset);
}
