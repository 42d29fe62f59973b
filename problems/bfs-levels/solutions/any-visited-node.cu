// Wrong: expands all nodes that have a level, not only those of the last level. A node that was found in this launch may be expanded
// in it too, if its thread is late. Its neighbours then get the level of their finder, although they are one step further. The result
// depends on the order of the threads.
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
    if (node >= n || atomicAdd(level + node, 0) < 0) {
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
