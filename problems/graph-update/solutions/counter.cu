// The graph counts its launches in device memory and reads the key of its round itself. The host only launches. The counter grows in a
// kernel that does not read it.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void mix(const unsigned int* x, unsigned int* next, const unsigned int* key, const int* round, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    unsigned int v = x[i] ^ key[*round];
    next[i] = (v << 9 | v >> 23) + x[i + 1 < n ? i + 1 : 0];
}

__global__ void store(const unsigned int* next, unsigned int* x, int* round, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) x[i] = next[i];
    if (i == 0) ++*round;
}

extern "C" void solve(unsigned int* x, const unsigned int* key, int n, int rounds) {
    const int blocks = (n - 1) / kThreads + 1;
    const size_t bytes = n * sizeof(unsigned int);
    unsigned int* next;
    cudaMalloc(&next, bytes);
    int* round;
    cudaMalloc(&round, sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemsetAsync(round, 0, sizeof(int), stream);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    mix<<<blocks, kThreads, 0, stream>>>(x, next, key, round, n);
    store<<<blocks, kThreads, 0, stream>>>(next, x, round, n);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    for (int r = 0; r < rounds; ++r) cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(next);
    cudaFree(round);
}
