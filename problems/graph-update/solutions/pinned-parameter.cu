// Wrong: the host writes the key into pinned memory, which kernels can read. But a launch returns before the graph has run, so the host
// writes the next key too early. Order the change by the stream: copy it there, or let the graph count.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void mix(const unsigned int* x, unsigned int* next, const unsigned int* key, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    unsigned int v = x[i] ^ *key;
    next[i] = (v << 9 | v >> 23) + x[i + 1 < n ? i + 1 : 0];
}

extern "C" void solve(unsigned int* x, const unsigned int* key, int n, int rounds) {
    const int blocks = (n - 1) / kThreads + 1;
    const size_t bytes = n * sizeof(unsigned int);
    unsigned int *next, *current, *all;
    cudaMalloc(&next, bytes);
    cudaMallocHost(&current, sizeof(unsigned int));
    cudaMallocHost(&all, rounds * sizeof(unsigned int));
    cudaMemcpy(all, key, rounds * sizeof(unsigned int), cudaMemcpyDeviceToHost);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    mix<<<blocks, kThreads, 0, stream>>>(x, next, current, n);
    cudaMemcpyAsync(x, next, bytes, cudaMemcpyDeviceToDevice, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    for (int r = 0; r < rounds; ++r) {
        *current = all[r];
        cudaGraphLaunch(executable, stream);
    }
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(next);
    cudaFreeHost(current);
    cudaFreeHost(all);
}
