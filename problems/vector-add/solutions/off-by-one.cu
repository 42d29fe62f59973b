// Wrong: the guard compares with n - 1, so the last element keeps the random bits that it came with.
#include <cuda_runtime.h>

__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) {
        c[i] = a[i] + b[i];
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    int threads = 256;
    add<<<(n + threads - 1) / threads, threads>>>(a, b, c, n);
}
