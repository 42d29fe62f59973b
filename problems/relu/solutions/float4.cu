// Four elements per thread with 16-byte loads and stores; one thread takes the remaining elements.
// Bound by memory bandwidth: more bytes in flight per thread hide the latency with fewer warps.
#include <cuda_runtime.h>

__global__ void relu(const float* __restrict__ input, float* __restrict__ output, int n) {
    int quad = blockIdx.x * blockDim.x + threadIdx.x;
    int quads = n / 4;
    if (quad < quads) {
        float4 x = reinterpret_cast<const float4*>(input)[quad];
        reinterpret_cast<float4*>(output)[quad] =
            make_float4(fmaxf(x.x, 0.0f), fmaxf(x.y, 0.0f), fmaxf(x.z, 0.0f), fmaxf(x.w, 0.0f));
    } else if (quad == quads) {
        for (int i = 4 * quads; i < n; ++i) {  // at most three elements
            output[i] = fmaxf(input[i], 0.0f);
        }
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    int threads = 256;
    int workers = n / 4 + 1;
    relu<<<(workers + threads - 1) / threads, threads>>>(input, output, n);
}
