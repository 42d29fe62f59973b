// Wrong: adds to the output without setting it to zero first. Fresh memory often happens to be zero,
// which hides this until the buffer is used again.
#include <cuda_runtime.h>

__global__ void sum(const float* input, float* output, int n) {
    float value = 0.0f;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        value += input[i];
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, offset);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(output, value);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    sum<<<64, 256>>>(input, output, n);
}
