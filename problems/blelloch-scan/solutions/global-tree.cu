// Right, but the tree is in global memory, with a launch for each level. The launches replace the barriers, and no
// size of a block limits the tree. But the nodes of a level are far apart, so each of them moves a sector of its own:
// many times the bytes of a tree in shared memory.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void up(float* tree, int nodes, int distance) {
    int node = blockIdx.x * kThreads + threadIdx.x;
    if (node < nodes) {
        int right = 2 * distance * (node + 1) - 1;
        tree[right] += tree[right - distance];
    }
}

__global__ void down(float* tree, int nodes, int distance) {
    int node = blockIdx.x * kThreads + threadIdx.x;
    if (node < nodes) {
        int right = 2 * distance * (node + 1) - 1;
        float own = tree[right], left_sum = tree[right - distance];
        tree[right - distance] = own;
        tree[right] = own + left_sum;
    }
}

extern "C" void solve(const float* x, float* y, int n) {
    int leaves = 1;
    while (leaves < n) leaves *= 2;
    float* tree = nullptr;
    cudaMalloc(&tree, leaves * sizeof(float));
    cudaMemset(tree, 0, leaves * sizeof(float));
    cudaMemcpy(tree, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
    for (int distance = 1; distance < leaves; distance *= 2) {
        int nodes = leaves / (2 * distance);
        up<<<(nodes - 1) / kThreads + 1, kThreads>>>(tree, nodes, distance);
    }
    cudaMemset(tree + leaves - 1, 0, sizeof(float));
    for (int distance = leaves / 2; distance > 0; distance /= 2) {
        int nodes = leaves / (2 * distance);
        down<<<(nodes - 1) / kThreads + 1, kThreads>>>(tree, nodes, distance);
    }
    cudaMemcpy(y, tree, n * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFree(tree);
}
