// Two rounds in a graph: there and back, so that no word is moved only to be at the right place. The last launch has one round if their
// number is odd, which the kernel finds out from the counter.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__device__ unsigned int mixed(const unsigned int* x, unsigned int key, int i, int n) {
    unsigned int v = x[i] ^ key;
    return (v << 9 | v >> 23) + x[i + 1 < n ? i + 1 : 0];
}

__global__ void even(const unsigned int* x, unsigned int* next, const unsigned int* key, const int* round, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) next[i] = mixed(x, key[*round], i, n);
}

// The second round of a launch, unless there is none: then the words only move back.
__global__ void odd(const unsigned int* next, unsigned int* x, const unsigned int* key, const int* round, int n, int rounds) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    int r = *round + 1;
    if (i < n) x[i] = r < rounds ? mixed(next, key[r], i, n) : next[i];
}

__global__ void advance(int* round) { *round += 2; }

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
    even<<<blocks, kThreads, 0, stream>>>(x, next, key, round, n);
    odd<<<blocks, kThreads, 0, stream>>>(next, x, key, round, n, rounds);
    advance<<<1, 1, 0, stream>>>(round);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    for (int r = 0; r < rounds; r += 2) cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(next);
    cudaFree(round);
}
