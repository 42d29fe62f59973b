// Wrong: the numbers on the way to 1 grow far beyond the first one. From below 2^20, some reach 9e10. In 32 bits they wrap around and
// take another way. Only 125 of these 2^20 tasks show it, so random tests miss it.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr unsigned kAll = 0xffffffffu;

__device__ int queue;  // the first task that is not taken

// How many steps lead to 1.
__device__ int steps_to_one(unsigned number) {
    int steps = 0;
    for (; number != 1; ++steps) number = number % 2 == 0 ? number / 2 : 3 * number + 1;
    return steps;
}

__global__ void work(const int* task, int* y, int n) {
    int lane = threadIdx.x % 32;
    while (true) {
        int first = 0;
        if (lane == 0) first = atomicAdd(&queue, 32);
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
