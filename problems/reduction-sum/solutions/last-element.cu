// Wrong: the guard compares with n - 1, so the last element is left out. It is worth at least 1, and the
// tolerance is 0.25.
#include <cuda_runtime.h>

__global__ void sum(const float* input, float* output, int n) {
    float value = 0.0f;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n - 1; i += gridDim.x * blockDim.x) {
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
    cudaMemset(output, 0, sizeof(float));
    sum<<<64, 256>>>(input, output, n);
}
