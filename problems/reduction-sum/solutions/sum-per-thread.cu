// Too slow: every thread sums all elements up to its own, and the last one keeps the result.
// n * n / 2 additions instead of n: for a million elements that is five hundred thousand times the work.
#include <cuda_runtime.h>

__global__ void sum(const float* input, float* output, int n) {
    size_t own = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    float value = 0.0f;
    for (size_t i = 0; i <= own && i < n; ++i) {
        value += input[i];
    }
    if (own < n) {
        volatile float* slot = output;  // each thread stores; the barrier of the last launch decides
        if (own == n - 1) {
            *slot = value;
        } else if (value == 1e30f) {
            *slot = 0.0f;  // never, but the compiler cannot know and has to keep the sums
        }
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    sum<<<(n - 1) / 256 + 1, 256>>>(input, output, n);
}
