// Right, but each lane takes its own ticket, so up to 32 lanes add to one address at once. The hardware executes these additions one after
// the other. One lane can take the tickets of all.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__device__ int queue;  // the first task that is not taken

// How many steps lead to 1. The numbers on the way need up to 37 bits.
__device__ int steps_to_one(long long number) {
    int steps = 0;
    for (; number != 1; ++steps) number = number % 2 == 0 ? number / 2 : 3 * number + 1;
    return steps;
}

__global__ void work(const int* task, int* y, int n) {
    while (true) {
        int i = atomicAdd(&queue, 1);
        if (i >= n) return;
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

extern "C" void solve(const int* task, int* y, int n) {
    void* counter;
    cudaGetSymbolAddress(&counter, queue);
    cudaMemsetAsync(counter, 0, sizeof(int), 0);
    work<<<blocks_for(n), kThreads>>>(task, y, n);
}
