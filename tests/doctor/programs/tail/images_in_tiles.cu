// problem: rgb-to-grayscale
#include <cuda_runtime.h>

constexpr int kThreads = 256, kPlaces = 6 * 1024;

__global__ void grayscale(const float* rgb, float* gray, int pixels) {
    extern __shared__ float tile[];
    for (int first = blockIdx.x * kThreads; first < pixels; first += gridDim.x * kThreads) {
        int count = min(kThreads, pixels - first);
        for (int i = threadIdx.x; i < 3 * count; i += kThreads) {
            tile[i] = rgb[3 * first + i];
        }
        __syncthreads();
        if (threadIdx.x < count) {
            const float* own = tile + 3 * threadIdx.x;
            gray[first + threadIdx.x] = 0.299f * own[0] + 0.587f * own[1] + 0.114f * own[2];
        }
        __syncthreads();
    }
}

extern "C" void solve(const float* rgb, float* gray, int rows, int cols) {
    int bytes = 3 * kPlaces * sizeof(float);
    cudaFuncSetAttribute(grayscale, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    grayscale<<<240, kThreads, bytes>>>(rgb, gray, rows * cols);  // doctor: tail
}
