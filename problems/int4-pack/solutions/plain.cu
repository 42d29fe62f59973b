// A thread handles a whole group: its maximum, its scale and its bytes.
//
// What bounds it: memory, used badly. Neighbouring threads read addresses that are a group apart, so each
// load of a warp touches 32 sectors of 32 bytes and uses 4 bytes of each; the rest must survive in the cache
// until the thread gets there. No thread ever waits for another one.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ int code(float weight, float step) {
    return min(7, max(-8, __float2int_rn(weight / step))) + 8;
}

__global__ void pack(const float* w, unsigned char* packed, __half* scale, int groups, int group) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= groups) {
        return;
    }
    const float* in = w + size_t(at) * group;
    unsigned char* out = packed + size_t(at) * group / 2;
    float most = 0.0f;
    for (int i = 0; i < group; ++i) {
        most = fmaxf(most, fabsf(in[i]));
    }
    __half rounded = __float2half_rn(most > 0.0f ? most / 7.0f : 1.0f);
    float step = __half2float(rounded);
    for (int i = 0; i < group / 2; ++i) {
        out[i] = code(in[2 * i], step) | code(in[2 * i + 1], step) << 4;
    }
    scale[at] = rounded;
}

extern "C" void solve(const float* w, unsigned char* packed, __half* scale, int m, int k, int group) {
    int groups = m * (k / group);
    pack<<<(groups + 127) / 128, 128>>>(w, packed, scale, groups, group);
}
