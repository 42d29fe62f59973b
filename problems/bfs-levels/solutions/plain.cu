// One thread for each node of the graph at each level. Threads of the frontier look at all neighbours of their node, and atomicCAS
// decides who has found a neighbour first. The host launches another level as long as nodes are found.
//
// What bounds it: the levels are read again at each level, and the thread of a node with many neighbours walks along them
// alone. Neighbouring lanes read different places of `adj`.
#include <cuda_runtime.h>

__global__ void prepare(int* level, int n, int source) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < n) {
        level[node] = node == source ? 0 : -1;
    }
}

__global__ void expand(const int* ptr, const int* adj, int* level, int n, int depth, int* found) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    // An atomic read, because other threads change levels during this launch.
    if (node >= n || atomicAdd(level + node, 0) != depth) {
        return;
    }
    for (int at = ptr[node]; at < ptr[node + 1]; ++at) {
        if (atomicCAS(level + adj[at], -1, depth + 1) == -1) {
            atomicExch(found, 1);
        }
    }
}

extern "C" void solve(const int* ptr, const int* adj, int* level, int n, int source) {
    static int* found = nullptr;
    if (found == nullptr) {
        cudaMalloc(&found, sizeof(int));
    }
    int blocks = (n + 255) / 256;
    prepare<<<blocks, 256>>>(level, n, source);
    int again = 1;
    for (int depth = 0; again; ++depth) {
        cudaMemset(found, 0, sizeof(int));
        expand<<<blocks, 256>>>(ptr, adj, level, n, depth, found);
        cudaMemcpy(&again, found, sizeof(int), cudaMemcpyDeviceToHost);
    }
}
