// Wrong: the last block has more threads than rows are left, and nothing stops them. They write past the end of out,
// into memory that belongs to someone else. A size that is a multiple of the block hides it.
#include <cuda_runtime.h>

__global__ void report(int* out, int base) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[4 * i] = base + i;
    out[4 * i + 1] = blockIdx.x;
    out[4 * i + 2] = threadIdx.x;
    out[4 * i + 3] = threadIdx.x % 32;
}

extern "C" void solve(int* out, int base, int n, int block) {
    report<<<(n + block - 1) / block, block>>>(out, base);
}
