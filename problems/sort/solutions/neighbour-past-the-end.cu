// Wrong, out of bounds: odd-even transposition compares i with i + 1, and the guard asks only whether i
// is inside. For the last i the neighbour is the element after the array.
#include <cuda_runtime.h>

__global__ void pass(float* data, int n, int parity) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
    if (i < n && data[i + 1] < data[i]) {
        float value = data[i];
        data[i] = data[i + 1];
        data[i + 1] = value;
    }
}

extern "C" void solve(float* data, int n) {
    for (int step = 0; step < n; ++step) {
        pass<<<(n + 511) / 512, 256>>>(data, n, step % 2);
    }
}
