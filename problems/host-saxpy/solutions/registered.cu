// Page-locks both arrays where they are. The kernel then reads and writes them over the link, without a copy in device
// memory. Bound by the link; locking the pages takes time too, which pays off only for memory that is used often.
#include <cuda_runtime.h>

__global__ void saxpy(const float* x, float* y, float alpha, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = alpha * x[i] + y[i];
    }
}

extern "C" void solve(const float* x, float* y, float alpha, int n) {
    float* own_x = const_cast<float*>(x);  // the calls take pointers to data that may change
    cudaHostRegister(own_x, n * sizeof(float), cudaHostRegisterMapped);
    cudaHostRegister(y, n * sizeof(float), cudaHostRegisterMapped);
    float *device_x, *device_y;
    cudaHostGetDevicePointer(&device_x, own_x, 0);
    cudaHostGetDevicePointer(&device_y, y, 0);
    saxpy<<<(n + 255) / 256, 256>>>(device_x, device_y, alpha, n);
    cudaDeviceSynchronize();  // no copy waits for the kernel
    cudaHostUnregister(own_x);
    cudaHostUnregister(y);
}
