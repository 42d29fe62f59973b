// A warp handles a group, a lane two neighbouring weights at a time.
//
// What bounds it: memory. A warp reads 256 consecutive bytes per load, and the second look at the group hits
// the L1 cache. A lane owns both weights of its bytes, so no byte has two writers. Stores are single bytes:
// 32 per warp.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kWarps = 8;

__device__ int code(float weight, float step) {
    return min(7, max(-8, __float2int_rn(weight / step))) + 8;
}

__global__ void pack(const float2* w, unsigned char* packed, __half* scale, int groups, int pairs) {
    int at = blockIdx.x * kWarps + threadIdx.y;
    if (at >= groups) {
        return;
    }
    const float2* in = w + size_t(at) * pairs;
    unsigned char* out = packed + size_t(at) * pairs;
    float most = 0.0f;
    for (int i = threadIdx.x; i < pairs; i += 32) {
        float2 pair = in[i];
        most = fmaxf(most, fmaxf(fabsf(pair.x), fabsf(pair.y)));
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, offset));
    }
    __half rounded = __float2half_rn(most > 0.0f ? most / 7.0f : 1.0f);
    float step = __half2float(rounded);
    for (int i = threadIdx.x; i < pairs; i += 32) {
        float2 pair = in[i];
        out[i] = code(pair.x, step) | code(pair.y, step) << 4;
    }
    if (threadIdx.x == 0) {
        scale[at] = rounded;
    }
}

extern "C" void solve(const float* w, unsigned char* packed, __half* scale, int m, int k, int group) {
    int groups = m * (k / group);
    pack<<<(groups + kWarps - 1) / kWarps, dim3(32, kWarps)>>>(reinterpret_cast<const float2*>(w), packed, scale,
                                                              groups, group / 2);
}
