// Wrong: the sum is gathered in a static variable that is zero when the program starts and never again. The first
// call is right, every later one adds to the calls before it.
#include <cuda_runtime.h>

__device__ float total;

__global__ void sum(const float* input, int n) {
    float value = 0.0f;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        value += input[i];
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, offset);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&total, value);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    sum<<<64, 256>>>(input, n);
    cudaMemcpyFromSymbol(output, total, sizeof(float), 0, cudaMemcpyDeviceToDevice);
}
