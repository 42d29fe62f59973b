// Wrong: the kernel gets pointers to ordinary host memory. The types are the same as those of device pointers, so the compiler
// does not complain. On most systems the kernel fails. Where the driver lets kernels read pageable memory, it works by luck.
#include <cuda_runtime.h>

__global__ void saxpy(const float* x, float* y, float alpha, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = alpha * x[i] + y[i];
    }
}

extern "C" void solve(const float* x, float* y, float alpha, int n) {
    saxpy<<<(n + 255) / 256, 256>>>(x, y, alpha, n);
    cudaDeviceSynchronize();
}
