// Right, but slow: each warp takes one row of the band and tests the flags one by one. 64 warps read the same flags
// and the same activations, 32 bytes for each flag. Let a warp read many flags at once, and use an activation for
// several rows.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void multiply(const __half* x, const unsigned char* packed, const __half* scale, const unsigned char* skip,
                         __half* y, int m, int n, int k, int block) {
    int lane = threadIdx.x, feature = blockIdx.x * blockDim.y + threadIdx.y, token = blockIdx.y, steps = k / block;
    if (feature >= n) {
        return;
    }
    float sum = 0.0f;
    for (int step = 0; step < steps; ++step) {
        if (skip[size_t(feature / block) * steps + step]) {
            continue;  // the whole warp
        }
        const unsigned char* bytes = packed + (size_t(feature) * k + size_t(step) * block) / 2;
        const __half* in = x + size_t(token) * k + size_t(step) * block;
        float part = 0.0f;
        for (int i = lane; i < block / 2; i += 32) {
            part += __half2float(in[2 * i]) * ((bytes[i] & 15) - 8);
            part += __half2float(in[2 * i + 1]) * ((bytes[i] >> 4) - 8);
        }
        sum += part * __half2float(scale[size_t(step) * n + feature]);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    }
    if (lane == 0) {
        y[size_t(token) * n + feature] = __float2half_rn(sum);
    }
}

extern "C" void solve(const __half* x, const unsigned char* packed, const __half* scale, const unsigned char* skip,
                      __half* y, int m, int n, int k, int block) {
    multiply<<<dim3((n + 7) / 8, m), dim3(32, 8)>>>(x, packed, scale, skip, y, m, n, k, block);
}
