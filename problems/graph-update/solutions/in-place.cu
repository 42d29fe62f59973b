// Wrong: a thread may read the word of its neighbour after the neighbour has replaced it. Write the new words elsewhere.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void mix(unsigned int* x, const unsigned int* key, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    unsigned int v = x[i] ^ *key;
    x[i] = (v << 9 | v >> 23) + x[i + 1 < n ? i + 1 : 0];
}

extern "C" void solve(unsigned int* x, const unsigned int* key, int n, int rounds) {
    const int blocks = (n - 1) / kThreads + 1;
    unsigned int* current;
    cudaMalloc(&current, sizeof(unsigned int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    mix<<<blocks, kThreads, 0, stream>>>(x, current, n);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    for (int r = 0; r < rounds; ++r) {
        cudaMemcpyAsync(current, key + r, sizeof(unsigned int), cudaMemcpyDeviceToDevice, stream);
        cudaGraphLaunch(executable, stream);
    }
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(current);
}
