// Right, but without a queue: each thread has its tasks from the beginning. The atomic operations count blocks, and nothing depends on
// the count.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__device__ int seen;

// How many steps lead to 1. The numbers on the way need up to 37 bits.
__device__ int steps_to_one(long long number) {
    int steps = 0;
    for (; number != 1; ++steps) number = number % 2 == 0 ? number / 2 : 3 * number + 1;
    return steps;
}

__global__ void work(const int* task, int* y, int n) {
    if (threadIdx.x == 0) atomicAdd(&seen, 1);
    for (long long i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
        y[i] = steps_to_one(task[i]);
    }
}

// As many blocks as are resident at once, or fewer if there is less work.
static int blocks_for(int n) {
    int device, multiprocessors, each;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, work, kThreads, 0);
    return min((n - 1) / kThreads + 1, multiprocessors * each);
}

extern "C" void solve(const int* task, int* y, int n) { work<<<blocks_for(n), kThreads>>>(task, y, n); }
