// One thread per number: row and column follow from the index, and neighbours write neighbours.
// Bound by memory: every store of a warp fills 128 consecutive bytes.
#include <cuda_runtime.h>

__global__ void report(int* out, int base, long long numbers, int block) {
    long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (at >= numbers) {
        return;
    }
    int i = at / 4;
    int thread = i % block;
    switch (at % 4) {
        case 0: out[at] = base + i; break;
        case 1: out[at] = i / block; break;
        case 2: out[at] = thread; break;
        default: out[at] = thread % 32;
    }
}

extern "C" void solve(int* out, int base, int n, int block) {
    long long numbers = 4LL * n;
    report<<<(numbers + 255) / 256, 256>>>(out, base, numbers, block);
}
