// Runs a kernel several times and measures each run. Most times are far too short, and the first one differs from the others. Correct the measurement.
#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

constexpr int kThreads = 256;

__global__ void smooth(const float* x, float* y, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) y[i] = x[i] * (1.5f - 0.5f * x[i] * x[i]);
}

static void launch(const float* x, float* y, int n, cudaStream_t stream) {
    smooth<<<(n - 1) / kThreads + 1, kThreads, 0, stream>>>(x, y, n);
}

extern "C" void solve(const float* x, float* y, float* ms, int n, int rounds) {
    std::vector<float> times(rounds);
    cudaStream_t work;
    cudaEvent_t start, stop;
    cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking);
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    for (int k = 0; k < rounds; ++k) {
        cudaEventRecord(start);
        launch(x, y, n, work);
        cudaEventRecord(stop);
        cudaEventElapsedTime(&times[k], start, stop);
    }
    cudaStreamSynchronize(work);
    std::copy(times.begin(), times.end(), ms);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaStreamDestroy(work);
}
