// Wrong: the ticket is what atomicAdd returns. This program adds first and reads the counter afterwards, when other warps may have
// added too. Some tasks are then done twice, and others never.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr unsigned kAll = 0xffffffffu;

__device__ int queue;  // the first task that is not taken

// How many steps lead to 1. The numbers on the way need up to 37 bits.
__device__ int steps_to_one(long long number) {
    int steps = 0;
    for (; number != 1; ++steps) number = number % 2 == 0 ? number / 2 : 3 * number + 1;
    return steps;
}

__global__ void work(const int* task, int* y, int n) {
    int lane = threadIdx.x % 32;
    while (true) {
        int first = 0;
        if (lane == 0) {
            atomicAdd(&queue, 32);
            first = queue - 32;
        }
        first = __shfl_sync(kAll, first, 0);
        if (first >= n) return;
        int i = first + lane;
        if (i < n) y[i] = steps_to_one(task[i]);
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
