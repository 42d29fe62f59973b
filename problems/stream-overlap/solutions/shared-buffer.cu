// Wrong: both streams use the same buffers. A stream may copy its chunk in while the kernel of the other one still reads,
// since nothing orders the two. Give each stream buffers of its own, or hand the buffer over with an event.
#include <cuda_runtime.h>

__global__ void softsign(const float* x, float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = x[i] / (1.0f + fabsf(x[i]));
    }
}

extern "C" void solve(const float* x, float* y, int n, int chunks) {
    int most = (n + chunks - 1) / chunks;
    float *device_x, *device_y;
    cudaMalloc(&device_x, most * sizeof(float));
    cudaMalloc(&device_y, most * sizeof(float));
    cudaStream_t streams[2];
    for (int s = 0; s < 2; ++s) {
        cudaStreamCreate(&streams[s]);
    }
    int k = 0;
    for (int first = 0; first < n; first += most, k ^= 1) {
        int count = n - first < most ? n - first : most;
        size_t bytes = count * sizeof(float);
        cudaMemcpyAsync(device_x, x + first, bytes, cudaMemcpyHostToDevice, streams[k]);
        softsign<<<(count + 255) / 256, 256, 0, streams[k]>>>(device_x, device_y, count);
        cudaMemcpyAsync(y + first, device_y, bytes, cudaMemcpyDeviceToHost, streams[k]);
    }
    cudaDeviceSynchronize();
    for (int s = 0; s < 2; ++s) {
        cudaStreamDestroy(streams[s]);
    }
    cudaFree(device_x);
    cudaFree(device_y);
}
