// Adds the terms of a series, each made by one stream and added by another. It is right, but the host waits for the device in
// each step. Let the allocations follow the order of the streams.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void term(const float* x, float* part, int n, int k) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    float power = 1.0f;
    for (int j = 0; j < k; ++j) power *= x[i];
    part[i] = power / (k + 1);
}

__global__ void add(const float* part, float* y, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) y[i] += part[i];
}

extern "C" void solve(const float* x, float* y, int n, int steps) {
    const int blocks = (n - 1) / kThreads + 1;
    cudaStream_t writer, reader;
    cudaEvent_t written;
    cudaStreamCreate(&writer);
    cudaStreamCreate(&reader);
    cudaEventCreateWithFlags(&written, cudaEventDisableTiming);
    cudaMemsetAsync(y, 0, n * sizeof(float), reader);
    for (int k = 0; k < steps; ++k) {
        float* part;
        cudaMalloc(&part, n * sizeof(float));
        term<<<blocks, kThreads, 0, writer>>>(x, part, n, k);
        cudaEventRecord(written, writer);
        cudaStreamWaitEvent(reader, written, 0);
        add<<<blocks, kThreads, 0, reader>>>(part, y, n);
        cudaFree(part);
    }
    cudaDeviceSynchronize();
    cudaEventDestroy(written);
    cudaStreamDestroy(writer);
    cudaStreamDestroy(reader);
}
