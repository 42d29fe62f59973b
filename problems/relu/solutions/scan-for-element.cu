// Too slow: every thread walks over the vector to the end to find its own element. The work is quadratic,
// although there are threads enough.
#include <cuda_runtime.h>

__global__ void relu(const volatile float* input, float* output, int n) {
    int wanted = blockIdx.x * blockDim.x + threadIdx.x;
    if (wanted < n) {
        float found = 0.0f;
        for (int i = 0; i < n; ++i) {
            float x = input[i];  // volatile, or the compiler would skip to the end
            if (i == wanted) {
                found = x;
            }
        }
        output[wanted] = fmaxf(found, 0.0f);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    int threads = 256;
    relu<<<(n + threads - 1) / threads, threads>>>(input, output, n);
}
