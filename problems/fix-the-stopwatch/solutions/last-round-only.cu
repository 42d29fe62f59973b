// Asks for the time once, after the loop. Each record replaces the one before, so only the last round is measured. Read the
// time in each round.
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
    launch(x, y, n, work);  // warm-up
    for (int k = 0; k < rounds; ++k) {
        cudaEventRecord(start, work);
        launch(x, y, n, work);
        cudaEventRecord(stop, work);
    }
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&times[rounds - 1], start, stop);
    cudaStreamSynchronize(work);
    std::copy(times.begin(), times.end(), ms);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaStreamDestroy(work);
}
