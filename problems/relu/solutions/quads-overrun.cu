// Wrong: rounds the number of float4 elements up, so that the last one reads and writes past the end.
#include <cuda_runtime.h>

__global__ void relu(const float4* input, float4* output, int quads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < quads) {
        float4 x = input[i];
        output[i] = make_float4(fmaxf(x.x, 0.0f), fmaxf(x.y, 0.0f), fmaxf(x.z, 0.0f), fmaxf(x.w, 0.0f));
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    int threads = 256;
    int quads = (n + 3) / 4;
    relu<<<(quads + threads - 1) / threads, threads>>>(
        reinterpret_cast<const float4*>(input), reinterpret_cast<float4*>(output), quads);
}
