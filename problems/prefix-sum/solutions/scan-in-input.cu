// Breaks a rule: the output is right, but the input is scanned in place first and copied afterwards.
// The caller still needs its input; a cast that removes `const` does not make it yours.
#include <cuda_runtime.h>

constexpr int kThreads = 512;

__global__ void scan_in_place(float* data, int n) {
    __shared__ float sums[kThreads];
    float before_block = 0.0f;
    for (size_t first = 0; first < n; first += kThreads) {
        size_t i = first + threadIdx.x;
        sums[threadIdx.x] = i < n ? data[i] : 0.0f;
        __syncthreads();
        for (int distance = 1; distance < kThreads; distance *= 2) {
            float before = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0.0f;
            __syncthreads();
            sums[threadIdx.x] += before;
            __syncthreads();
        }
        if (i < n) {
            data[i] = before_block + sums[threadIdx.x];
        }
        before_block += sums[kThreads - 1];
        __syncthreads();
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    scan_in_place<<<1, kThreads>>>(const_cast<float*>(input), n);
    cudaMemcpy(output, input, n * sizeof(float), cudaMemcpyDeviceToDevice);
}
