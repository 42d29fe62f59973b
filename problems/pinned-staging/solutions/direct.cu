// Wrong: the kernel reads x itself, in pageable host memory. On most systems it fails. Where the driver permits it, every
// access goes over the link, page by page.
#include <cuda_runtime.h>

__global__ void square(const float* x, float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = x[i] * x[i];
    }
}

extern "C" void solve(const float* x, float* y, int n) {
    square<<<(n + 255) / 256, 256>>>(x, y, n);
    cudaDeviceSynchronize();
}
