#include <cuda_runtime.h>

#include <vector>

__global__ void scale(float* x, int n, float by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}

static void on_device(float* x, int n) {
    float* own;
    cudaMalloc(&own, n * sizeof(float));
    cudaMemcpy(own, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
    scale<<<(n + 255) / 256, 256>>>(own, n, 2);
    cudaMemcpyAsync(x, own, n * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFree(own);
}

static void by_pageable(float* x, int n) {
    std::vector<float> host(n);
    cudaMemcpy(host.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (float& value : host) value *= 2;
    cudaMemcpyAsync(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
}

static void by_pinned(float* x, int n) {
    float* host;
    cudaMallocHost(&host, n * sizeof(float));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(host, x, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < n; ++i) host[i] *= 2;
    cudaMemcpyAsync(x, host, n * sizeof(float), cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFreeHost(host);
}

static void by_pool(float* x, int n) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    for (int step = 0; step < 3; ++step) {
        float* own;
        cudaMallocAsync(&own, n * sizeof(float), stream);
        cudaMemcpyAsync(own, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
        scale<<<(n + 255) / 256, 256, 0, stream>>>(own, n, 2);
        if (step == 2) cudaMemcpyAsync(x, own, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
        cudaFreeAsync(own, stream);
    }
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
}

static void by_graph(float* x, int n) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    scale<<<(n + 255) / 256, 256, 0, stream>>>(x, n, 2);
    scale<<<(n + 255) / 256, 256, 0, stream>>>(x, n, 0.5f);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    for (int step = 0; step < 5; ++step) cudaGraphLaunch(executable, stream);
    scale<<<(n + 255) / 256, 256, 0, stream>>>(x, n, 2);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}

// Records the start in stream `of_start`, the end in `of_end`, around a kernel in the first.
static void by_events(float* x, int n, unsigned flags, bool default_start, bool default_end, bool waits) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, flags);
    cudaEvent_t start, end;
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    cudaEventRecord(start, default_start ? 0 : stream);
    scale<<<(n + 255) / 256, 256, 0, stream>>>(x, n, 2);
    cudaEventRecord(end, default_end ? 0 : stream);
    if (waits) cudaEventSynchronize(end);
    float ms = -1;
    cudaEventElapsedTime(&ms, start, end);
    cudaDeviceSynchronize();
    cudaEventDestroy(start);
    cudaEventDestroy(end);
    cudaStreamDestroy(stream);
}

static void two_streams(float* x, int n) {
    cudaStream_t streams[2];
    cudaEvent_t done;
    cudaEventCreate(&done);
    for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);
    scale<<<(n + 255) / 256, 256, 0, streams[0]>>>(x, n, 4);
    cudaEventRecord(done, streams[0]);
    cudaStreamWaitEvent(streams[1], done, 0);
    scale<<<(n + 255) / 256, 256, 0, streams[1]>>>(x, n, 0.5f);
    cudaDeviceSynchronize();
    for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
    cudaEventDestroy(done);
}

__global__ void together(float* x, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] *= 2;
}

static void cooperative(float* x, int n) {
    void* arguments[] = {&x, &n};
    cudaLaunchCooperativeKernel((const void*)together, 1, 256, arguments, 0, 0);
}

static void leaking(float* x, int n) {
    float* managed;
    cudaMallocManaged(&managed, n * sizeof(float));
    scale<<<(n + 255) / 256, 256>>>(x, n, 2);
}

extern "C" void solve(float* x, int n, int kind) {
    switch (kind) {
        case 0: return on_device(x, n);
        case 1: return by_pageable(x, n);
        case 2: return by_pinned(x, n);
        case 3: return by_pool(x, n);
        case 4: return by_graph(x, n);
        case 5: return by_events(x, n, cudaStreamDefault, false, false, true);
        case 6: return by_events(x, n, cudaStreamDefault, true, true, true);
        case 7: return by_events(x, n, cudaStreamNonBlocking, true, true, true);
        case 8: return by_events(x, n, cudaStreamDefault, false, true, true);
        case 9: return by_events(x, n, cudaStreamDefault, false, false, false);
        case 10: return two_streams(x, n);
        case 11: return cooperative(x, n);
        case 12: return leaking(x, n);
    }
}
