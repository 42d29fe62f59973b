// The key is in constant memory, where all threads of a warp read it at once. A copy in the stream changes it between two launches, when
// no kernel runs.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__constant__ unsigned int current;

__global__ void mix(const unsigned int* x, unsigned int* next, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    unsigned int v = x[i] ^ current;
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
    mix<<<blocks, kThreads, 0, stream>>>(x, next, n);
    cudaMemcpyAsync(x, next, bytes, cudaMemcpyDeviceToDevice, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    for (int r = 0; r < rounds; ++r) {
        cudaMemcpyToSymbolAsync(current, key + r, sizeof(unsigned int), 0, cudaMemcpyDeviceToDevice, stream);
        cudaGraphLaunch(executable, stream);
    }
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(next);
}
