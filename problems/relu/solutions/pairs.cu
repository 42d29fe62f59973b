// Wrong for odd sizes: two elements per thread, and the last one has no pair to belong to.
#include <cuda_runtime.h>

__global__ void relu(const float2* input, float2* output, int pairs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs) {
        float2 x = input[i];
        output[i] = make_float2(fmaxf(x.x, 0.0f), fmaxf(x.y, 0.0f));
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    int threads = 256;
    relu<<<(n / 2 + threads) / threads, threads>>>(
        reinterpret_cast<const float2*>(input), reinterpret_cast<float2*>(output), n / 2);
}
