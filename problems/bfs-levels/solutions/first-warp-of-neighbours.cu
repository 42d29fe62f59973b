// Wrong: the warp looks at 32 neighbours of its node, one for each lane, and never goes on. Nodes found only through a later neighbour get
// a greater level, or none. Most nodes have fewer neighbours, so most levels are right.
#include <cuda_runtime.h>

constexpr int kWarps = 8;
constexpr int kMostBlocks = 4096;

__global__ void prepare(int* level, int n, int source, int* queue) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < n) {
        level[node] = node == source ? 0 : -1;
    }
    if (node == 0) {
        queue[0] = source;
    }
}

__global__ void expand(const int* ptr, const int* adj, int* level, int depth, const int* queue, int count, int* next,
                       int* next_count) {
    int lane = threadIdx.x;
    for (int at = blockIdx.x * kWarps + threadIdx.y; at < count; at += gridDim.x * kWarps) {
        int node = queue[at], end = ptr[node + 1];
        if (int base = ptr[node]; base < end) {
            bool found = false;
            int other = 0;
            if (base + lane < end) {
                other = adj[base + lane];
                found = atomicCAS(level + other, -1, depth + 1) == -1;
            }
            // One addition for the warp: the first finder reserves places for all.
            unsigned finders = __ballot_sync(0xffffffffu, found);
            int place = 0;
            if (finders != 0 && lane == 0) {
                place = atomicAdd(next_count, __popc(finders));
            }
            place = __shfl_sync(0xffffffffu, place, 0);
            if (found) {
                next[place + __popc(finders & ((1u << lane) - 1))] = other;
            }
        }
    }
}

extern "C" void solve(const int* ptr, const int* adj, int* level, int n, int source) {
    static int* scratch = nullptr;
    static int kept = 0;
    if (n > kept) {
        cudaFree(scratch);
        cudaMalloc(&scratch, (2 * size_t(n) + 1) * sizeof(int));
        kept = n;
    }
    int *queue = scratch, *next = scratch + n, *next_count = scratch + 2 * size_t(n);
    prepare<<<(n + 255) / 256, 256>>>(level, n, source, queue);
    int count = 1;
    for (int depth = 0; count > 0; ++depth) {
        int blocks = (count + kWarps - 1) / kWarps;
        cudaMemset(next_count, 0, sizeof(int));
        expand<<<blocks < kMostBlocks ? blocks : kMostBlocks, dim3(32, kWarps)>>>(ptr, adj, level, depth, queue, count, next,
                                                                                  next_count);
        cudaMemcpy(&count, next_count, sizeof(int), cudaMemcpyDeviceToHost);
        int* used = queue;
        queue = next;
        next = used;
    }
}
