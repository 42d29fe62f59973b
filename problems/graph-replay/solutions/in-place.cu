// An element moves while its neighbours may not have read it yet. They need its old place. Use a second kernel, or write the new state
// elsewhere.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void advance(float* x, float* v, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    float force = x[i > 0 ? i - 1 : n - 1] - 2.0f * x[i] + x[i + 1 < n ? i + 1 : 0];
    v[i] = (v[i] + 0.5f * force) * 0.99f;
    x[i] = fminf(fmaxf(x[i] + 0.5f * v[i], -0.75f), 0.75f);
}

static void step(float* x, float* v, int n, cudaStream_t stream) {
    advance<<<(n - 1) / kThreads + 1, kThreads, 0, stream>>>(x, v, n);
}

extern "C" void solve(float* x, float* v, int n, int steps) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    step(x, v, n, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    for (int k = 0; k < steps; ++k) cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}
