// problem: relu
#include <cuda_runtime.h>

constexpr int kBytes = 100 * 1024;

// Each block takes chunks in turn, through shared memory.
__global__ void relu(const float* input, float* output, int n) {
    extern __shared__ float chunk[];
    for (int first = blockIdx.x * blockDim.x; first < n; first += gridDim.x * blockDim.x) {
        int i = first + threadIdx.x;
        chunk[threadIdx.x] = i < n ? input[i] : 0.0f;
        if (i < n) {
            output[i] = fmaxf(chunk[threadIdx.x], 0.0f);
        }
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    cudaFuncSetAttribute(relu, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
    relu<<<120, 128, kBytes>>>(input, output, n);  // doctor: tail
}
