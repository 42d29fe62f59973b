// Right, but the graph has a kernel for each round and is used once. Its instantiation takes longer with each round. Capture what repeats.
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
    unsigned int* next;
    cudaMalloc(&next, bytes);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int r = 0; r < rounds; ++r) {
        mix<<<blocks, kThreads, 0, stream>>>(x, next, key + r, n);
        cudaMemcpyAsync(x, next, bytes, cudaMemcpyDeviceToDevice, stream);
    }
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(next);
}
