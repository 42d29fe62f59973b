// A warp for each output feature reads words of eight codes and uses them for up to four tokens.
//
// What bounds it: for one token, DRAM bandwidth: each byte of the weights is read once, 128 bytes per load of
// a warp. The activations come from L1. Eight products are summed before the scale is multiplied once. For
// many tokens, decoding and multiplying without tensor cores become the limit.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kWarps = 8;
constexpr int kTokens = 4;

template <bool kWords>
__global__ void multiply(const __half* x, const unsigned char* packed, const __half* scale, __half* y, int m, int n,
                         int k, int group) {
    constexpr int kCodes = kWords ? 8 : 2;  // of a load
    int feature = blockIdx.x * kWarps + threadIdx.y, token = blockIdx.y * kTokens, lane = threadIdx.x;
    if (feature >= n) {
        return;
    }
    const unsigned char* bytes = packed + size_t(feature) * (k / 2);
    const __half* scales = scale + size_t(feature) * (k / group);
    float sums[kTokens] = {};
    for (int at = lane; at < k / kCodes; at += 32) {
        unsigned codes = kWords ? reinterpret_cast<const unsigned*>(bytes)[at] : bytes[at];
        float step = __half2float(scales[at * kCodes / group]);
        float parts[kTokens] = {};
#pragma unroll
        for (int i = 0; i < kCodes; ++i) {
            float weight = static_cast<float>(int(codes >> 4 * i & 15u) - 8);
#pragma unroll
            for (int t = 0; t < kTokens; ++t) {
                if (token + t < m) {
                    parts[t] += weight * __half2float(x[size_t(token + t) * k + at * kCodes + i]);
                }
            }
        }
        for (int t = 0; t < kTokens; ++t) {
            sums[t] += parts[t] * step;
        }
    }
    for (int t = 0; t < kTokens; ++t) {
        float sum = sums[t];
        for (int offset = 16; offset > 0; offset /= 2) {
            sum += __shfl_xor_sync(0xffffffffu, sum, offset);
        }
        if (lane == 0 && token + t < m) {
            y[size_t(token + t) * n + feature] = __float2half_rn(sum);
        }
    }
}

extern "C" void solve(const __half* x, const unsigned char* packed, const __half* scale, __half* y, int m, int n,
                      int k, int group) {
    dim3 grid((n + kWarps - 1) / kWarps, (m + kTokens - 1) / kTokens), threads(32, kWarps);
    if (group % 8 == 0) {
        multiply<true><<<grid, threads>>>(x, packed, scale, y, m, n, k, group);
    } else {
        multiply<false><<<grid, threads>>>(x, packed, scale, y, m, n, k, group);
    }
}
