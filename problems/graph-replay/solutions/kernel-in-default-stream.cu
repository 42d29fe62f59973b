// One kernel is launched without the stream, so it is not part of the capture. CUDA refuses the launch, because the default stream would wait for the captured stream.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void pull(const float* x, float* force, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) force[i] = x[i > 0 ? i - 1 : n - 1] - 2.0f * x[i] + x[i + 1 < n ? i + 1 : 0];
}

__global__ void accelerate(float* v, const float* force, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) v[i] += 0.5f * force[i];
}

__global__ void damp(float* v, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) v[i] *= 0.99f;
}

__global__ void move(float* x, const float* v, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) x[i] += 0.5f * v[i];
}

__global__ void limit(float* x, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) x[i] = fminf(fmaxf(x[i], -0.75f), 0.75f);
}

static void step(float* x, float* v, float* force, int n, cudaStream_t stream) {
    const int blocks = (n - 1) / kThreads + 1;
    pull<<<blocks, kThreads, 0, stream>>>(x, force, n);
    accelerate<<<blocks, kThreads, 0, stream>>>(v, force, n);
    damp<<<blocks, kThreads>>>(v, n);
    move<<<blocks, kThreads, 0, stream>>>(x, v, n);
    limit<<<blocks, kThreads, 0, stream>>>(x, n);
}

extern "C" void solve(float* x, float* v, int n, int steps) {
    float* force;
    cudaMalloc(&force, n * sizeof(float));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    step(x, v, force, n, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    for (int k = 0; k < steps; ++k) cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(force);
}
