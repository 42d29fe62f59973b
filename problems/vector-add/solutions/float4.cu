// Four elements per thread in one 16-byte load: fewer instructions and more bytes in flight per warp.
// Bound by memory bandwidth alone. Arrays from cudaMalloc are aligned well enough for float4.
#include <cuda_runtime.h>

__global__ void add(const float4* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ c, int quads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < quads) {
        float4 x = a[i];
        float4 y = b[i];
        c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    }
}

__global__ void add_tail(const float* a, const float* b, float* c, int first, int n) {
    int i = first + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    int threads = 256;
    int quads = n / 4;
    if (quads > 0) {  // a grid of zero blocks is an error
        add<<<(quads + threads - 1) / threads, threads>>>(
            reinterpret_cast<const float4*>(a), reinterpret_cast<const float4*>(b),
            reinterpret_cast<float4*>(c), quads);
    }
    if (n % 4 != 0) {
        add_tail<<<1, 4>>>(a, b, c, quads * 4, n);
    }
}
