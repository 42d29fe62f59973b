// Wrong: marks nodes that have not been found with 0, and the source with 0 as well. A node next to the source finds the source
// free and gives it level 2, and nodes out of reach keep 0 instead of -1.
#include <cuda_runtime.h>

__global__ void prepare(int* level, int n, int source) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < n) {
        level[node] = 0;
    }
}

__global__ void expand(const int* ptr, const int* adj, int* level, int n, int source, int depth, int* found) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    // An atomic read, because other threads change levels during this launch.
    if (node >= n || (depth == 0 ? node != source : atomicAdd(level + node, 0) != depth)) {
        return;
    }
    for (int at = ptr[node]; at < ptr[node + 1]; ++at) {
        if (atomicCAS(level + adj[at], 0, depth + 1) == 0) {
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
        expand<<<blocks, 256>>>(ptr, adj, level, n, source, depth, found);
        cudaMemcpy(&again, found, sizeof(int), cudaMemcpyDeviceToHost);
    }
}
