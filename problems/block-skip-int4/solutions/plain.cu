// Right, but slow: a thread for each result. It skips, but neighbouring threads read bytes that are a whole row
// apart. A load of a warp touches 32 sectors and uses one byte of each. Let the lanes of a warp share the rows of a
// block.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void multiply(const __half* x, const unsigned char* packed, const __half* scale, const unsigned char* skip,
                         __half* y, int m, int n, int k, int block) {
    int feature = blockIdx.x * blockDim.x + threadIdx.x, token = blockIdx.y, steps = k / block;
    if (feature >= n) {
        return;
    }
    const unsigned char* flags = skip + size_t(feature / block) * steps;
    float sum = 0.0f;
    for (int step = 0; step < steps; ++step) {
        if (flags[step]) {
            continue;
        }
        const unsigned char* bytes = packed + (size_t(feature) * k + size_t(step) * block) / 2;
        const __half* in = x + size_t(token) * k + size_t(step) * block;
        float part = 0.0f;
        for (int i = 0; i < block / 2; ++i) {
            part += __half2float(in[2 * i]) * ((bytes[i] & 15) - 8);
            part += __half2float(in[2 * i + 1]) * ((bytes[i] >> 4) - 8);
        }
        sum += part * __half2float(scale[size_t(step) * n + feature]);
    }
    y[size_t(token) * n + feature] = __float2half_rn(sum);
}

extern "C" void solve(const __half* x, const unsigned char* packed, const __half* scale, const unsigned char* skip,
                      __half* y, int m, int n, int k, int block) {
    multiply<<<dim3((n + 127) / 128, m), 128>>>(x, packed, scale, skip, y, m, n, k, block);
}
