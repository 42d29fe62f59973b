// Right, but without overlap: one pair of buffers serves both streams. Each waits for the event of the other one before it
// overwrites them, so a chunk cannot begin before the one before it has left.
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
    cudaEvent_t handed[2];
    for (int s = 0; s < 2; ++s) {
        cudaStreamCreate(&streams[s]);
        cudaEventCreateWithFlags(&handed[s], cudaEventDisableTiming);
    }
    int k = 0;
    for (int first = 0; first < n; first += most, k ^= 1) {
        int count = n - first < most ? n - first : most;
        size_t bytes = count * sizeof(float);
        cudaStreamWaitEvent(streams[k], handed[k ^ 1], 0);  // before the first record it waits for nothing
        cudaMemcpyAsync(device_x, x + first, bytes, cudaMemcpyHostToDevice, streams[k]);
        softsign<<<(count + 255) / 256, 256, 0, streams[k]>>>(device_x, device_y, count);
        cudaMemcpyAsync(y + first, device_y, bytes, cudaMemcpyDeviceToHost, streams[k]);
        cudaEventRecord(handed[k], streams[k]);
    }
    cudaDeviceSynchronize();
    for (int s = 0; s < 2; ++s) {
        cudaStreamDestroy(streams[s]);
        cudaEventDestroy(handed[s]);
    }
    cudaFree(device_x);
    cudaFree(device_y);
}
