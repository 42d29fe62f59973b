// problem: grid-sync-stats
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__device__ float totals[2];

__global__ void statistics(const float* x, float* stats, int n) {
    auto grid = cooperative_groups::this_grid();
    if (grid.thread_rank() == 0) {
        totals[0] = totals[1] = 0.0f;
    }
    grid.sync();
    float sum = 0.0f, squares = 0.0f;
    for (long long i = grid.thread_rank(); i < n; i += grid.size()) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
        squares += __shfl_down_sync(0xffffffffu, squares, offset);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&totals[0], sum);
        atomicAdd(&totals[1], squares);
    }
    grid.sync();
    if (grid.thread_rank() == 0) {
        float mean = totals[0] * (1.0f / n);
        stats[0] = mean;
        stats[1] = totals[1] * (1.0f / n) - mean * mean;  // doctor: cancellation
    }
}

extern "C" void solve(const float* x, float* stats, int n) {
    void* arguments[] = {&x, &stats, &n};
    cudaLaunchCooperativeKernel((void*)statistics, dim3(4), dim3(256), arguments, 0, 0);
}
