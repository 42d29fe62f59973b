// Two directions. A small frontier looks at all of its neighbours. When it is large, most of these are known already. Then each
// node without a level looks for one neighbour in the frontier, and stops at the first.
//
// What bounds it: in the middle levels, which have most of the nodes, the few neighbours that are read until one is in the
// frontier. The frontier is a set of bits, so 4 million nodes take 512 KiB, which L2 holds. A node writes only its own
// level, without atomic operations, and the 32 bits of a warp are one word.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kShare = 16;  // from n / 16 nodes on, a frontier is large

__global__ void prepare(int* level, int n, int source, unsigned* frontier) {
    int node = blockIdx.x * kThreads + threadIdx.x;
    if (node < n) {
        level[node] = node == source ? 0 : -1;
        if (node % 32 == 0) {
            frontier[node / 32] = node / 32 == source / 32 ? 1u << source % 32 : 0u;
        }
    }
}

__device__ bool holds(const unsigned* set, int node) { return set[node / 32] >> node % 32 & 1; }

__global__ void from_frontier(const int* ptr, const int* adj, int* level, int n, int depth, const unsigned* frontier,
                              unsigned* next, int* found) {
    int node = blockIdx.x * kThreads + threadIdx.x;
    if (node >= n || !holds(frontier, node)) {
        return;
    }
    int mine = 0;
    for (int at = ptr[node]; at < ptr[node + 1]; ++at) {
        int other = adj[at];
        if (atomicCAS(level + other, -1, depth + 1) == -1) {
            atomicOr(next + other / 32, 1u << other % 32);
            ++mine;
        }
    }
    if (mine > 0) {
        atomicAdd(found, mine);
    }
}

__global__ void to_frontier(const int* ptr, const int* adj, int* level, int n, int depth, const unsigned* frontier,
                            unsigned* next, int* found) {
    int node = blockIdx.x * kThreads + threadIdx.x;
    bool mine = false;
    if (node < n && level[node] < 0) {
        for (int at = ptr[node]; at < ptr[node + 1] && !mine; ++at) {
            mine = holds(frontier, adj[at]);
        }
        if (mine) {
            level[node] = depth + 1;
        }
    }
    unsigned finders = __ballot_sync(0xffffffffu, mine);
    if (threadIdx.x % 32 == 0 && node < n) {
        next[node / 32] = finders;
        if (finders != 0) {
            atomicAdd(found, __popc(finders));
        }
    }
}

extern "C" void solve(const int* ptr, const int* adj, int* level, int n, int source) {
    static unsigned* scratch = nullptr;
    static int kept = 0;
    int words = (n + 31) / 32;
    if (n > kept) {
        cudaFree(scratch);
        cudaMalloc(&scratch, (2 * size_t(words) + 1) * sizeof(unsigned));
        kept = n;
    }
    unsigned *frontier = scratch, *next = scratch + words;
    int* found = reinterpret_cast<int*>(scratch + 2 * size_t(words));
    int blocks = (n + kThreads - 1) / kThreads, count = 1;
    prepare<<<blocks, kThreads>>>(level, n, source, frontier);
    for (int depth = 0; count > 0; ++depth) {
        cudaMemset(found, 0, sizeof(int));
        if (count >= (n + kShare - 1) / kShare) {
            to_frontier<<<blocks, kThreads>>>(ptr, adj, level, n, depth, frontier, next, found);
        } else {
            cudaMemset(next, 0, words * sizeof(unsigned));
            from_frontier<<<blocks, kThreads>>>(ptr, adj, level, n, depth, frontier, next, found);
        }
        cudaMemcpy(&count, found, sizeof(int), cudaMemcpyDeviceToHost);
        unsigned* used = frontier;
        frontier = next;
        next = used;
    }
}
