// Wrong: the lane is taken from the number in the whole launch. Warps do not span blocks: each block begins a new
// warp, so the lane follows from the position in the block. Both agree while the block size is a multiple of 32.
#include <cuda_runtime.h>

__global__ void report(int* out, int base, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[4 * i] = base + i;
        out[4 * i + 1] = blockIdx.x;
        out[4 * i + 2] = threadIdx.x;
        out[4 * i + 3] = i % 32;
    }
}

extern "C" void solve(int* out, int base, int n, int block) {
    report<<<(n + block - 1) / block, block>>>(out, base, n);
}
