// Wrong: the launch has blocks of 256 threads whatever the caller asks for, and the built-in variables report that
// launch. The global numbers are right, blocks and threads are not.
#include <cuda_runtime.h>

__global__ void report(int* out, int base, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[4 * i] = base + i;
        out[4 * i + 1] = blockIdx.x;
        out[4 * i + 2] = threadIdx.x;
        out[4 * i + 3] = threadIdx.x % 32;
    }
}

extern "C" void solve(int* out, int base, int n, int block) {
    report<<<(n + 255) / 256, 256>>>(out, base, n);
}
