// Lanes take steps together. As soon as eight lanes have finished, one lane takes tickets for all of them, and they begin new tasks while the
// others go on. So a long task keeps at most a few lanes waiting, at the cost of a vote in each step.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kEnough = 8;  // idle lanes that are worth a ticket
constexpr unsigned kAll = 0xffffffffu;

__device__ int queue;  // the first task that is not taken

__global__ void work(const int* task, int* y, int n) {
    int lane = threadIdx.x % 32;
    int i = -1, steps = 0;  // -1: idle
    long long number = 1;
    bool empty = false;
    while (true) {
        unsigned idle = __ballot_sync(kAll, i < 0);
        if (!empty && __popc(idle) >= kEnough) {
            int first = 0;
            if (lane == 0) first = atomicAdd(&queue, __popc(idle));
            first = __shfl_sync(kAll, first, 0);
            int mine = first + __popc(idle & ((1u << lane) - 1));
            if (i < 0 && mine < n) {
                i = mine;
                number = task[i];
                steps = 0;
            }
            empty = first + __popc(idle) >= n;
        } else if (idle == kAll) {
            return;
        }
        if (i >= 0 && number == 1) {
            y[i] = steps;
            i = -1;
        } else if (i >= 0) {
            number = number % 2 == 0 ? number / 2 : 3 * number + 1;
            ++steps;
        }
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
