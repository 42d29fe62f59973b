// Wrong: the device computes 1 + |x|, and the host divides as soon as the copies are submitted. They may not have ended, and
// the host divides by what y held before. Synchronise the streams first.
#include <cuda_runtime.h>

__global__ void divisor(const float* x, float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = 1.0f + fabsf(x[i]);
    }
}

extern "C" void solve(const float* x, float* y, int n, int chunks) {
    int most = (n + chunks - 1) / chunks;
    cudaStream_t streams[2];
    float *device_x[2], *device_y[2];
    for (int s = 0; s < 2; ++s) {
        cudaStreamCreate(&streams[s]);
        cudaMalloc(&device_x[s], most * sizeof(float));
        cudaMalloc(&device_y[s], most * sizeof(float));
    }
    for (int k = 0; k < chunks; ++k) {
        int s = k % 2, first = k * most;
        int count = n - first < most ? n - first : most;
        if (count <= 0) break;
        size_t bytes = count * sizeof(float);
        cudaMemcpyAsync(device_x[s], x + first, bytes, cudaMemcpyHostToDevice, streams[s]);
        divisor<<<(count + 255) / 256, 256, 0, streams[s]>>>(device_x[s], device_y[s], count);
        cudaMemcpyAsync(y + first, device_y[s], bytes, cudaMemcpyDeviceToHost, streams[s]);
    }
    for (int i = 0; i < n; ++i) {
        y[i] = x[i] / y[i];
    }
    for (int s = 0; s < 2; ++s) {
        cudaStreamSynchronize(streams[s]);
        cudaStreamDestroy(streams[s]);
        cudaFree(device_x[s]);
        cudaFree(device_y[s]);
    }
}
