// Wrong: no barrier between reading the ticket and taking the next one. If thread 0 is fast, it overwrites the ticket while other
// warps have not read it, and their tasks stay undone.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__device__ int queue;     // the first task that is not taken
__device__ int finished;  // blocks that have found the queue empty

// How many steps lead to 1. The numbers on the way need up to 37 bits.
__device__ int steps_to_one(long long number) {
    int steps = 0;
    for (; number != 1; ++steps) number = number % 2 == 0 ? number / 2 : 3 * number + 1;
    return steps;
}

__global__ void work(const int* task, int* y, int n) {
    __shared__ int first;
    while (true) {
        if (threadIdx.x == 0) first = atomicAdd(&queue, kThreads);
        __syncthreads();
        int i = first + threadIdx.x;
        if (first >= n) break;
        // __syncthreads() belongs here.
        if (i < n) y[i] = steps_to_one(task[i]);
    }
    if (threadIdx.x == 0 && atomicAdd(&finished, 1) == gridDim.x - 1) {
        queue = 0;  // no block will take a ticket any more
        finished = 0;
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
