// A row is 16 bytes and aligned to 16 bytes, so it is one store.
// Bound by memory: a warp writes 512 consecutive bytes with one instruction, and every sector once.
#include <cuda_runtime.h>

__global__ void report(int4* out, int base, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = make_int4(base + i, blockIdx.x, threadIdx.x, threadIdx.x % 32);
    }
}

extern "C" void solve(int* out, int base, int n, int block) {
    report<<<(n + block - 1) / block, block>>>(reinterpret_cast<int4*>(out), base, n);
}
