// Wrong: each thread has one weight and adds its code to the byte. The two threads of a byte both read it
// before either of them writes, so one code is lost. A byte is the smallest unit of a store: one thread has
// to own both of its codes.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kWarps = 8;

__device__ int code(float weight, float step) {
    return min(7, max(-8, __float2int_rn(weight / step))) + 8;
}

__global__ void pack(const float* w, unsigned char* packed, __half* scale, int groups, int pairs) {
    int at = blockIdx.x * kWarps + threadIdx.y;
    if (at >= groups) {
        return;
    }
    const float* in = w + size_t(at) * 2 * pairs;
    unsigned char* out = packed + size_t(at) * pairs;
    float most = 0.0f;
    for (int i = threadIdx.x; i < 2 * pairs; i += 32) {
        most = fmaxf(most, fabsf(in[i]));
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, offset));
    }
    __half rounded = __float2half_rn(most > 0.0f ? most / 7.0f : 1.0f);
    float step = __half2float(rounded);
    for (int i = threadIdx.x; i < pairs; i += 32) {
        out[i] = 0;
    }
    __syncwarp();
    for (int i = threadIdx.x; i < 2 * pairs; i += 32) {
        out[i / 2] |= code(in[i], step) << (i % 2 * 4);
    }
    if (threadIdx.x == 0) {
        scale[at] = rounded;
    }
}

extern "C" void solve(const float* w, unsigned char* packed, __half* scale, int m, int k, int group) {
    int groups = m * (k / group);
    pack<<<(groups + kWarps - 1) / kWarps, dim3(32, kWarps)>>>(w, packed, scale, groups, group / 2);
}
