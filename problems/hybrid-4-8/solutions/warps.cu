// A warp for each feature, so no warp mixes the two kinds. Its lanes read consecutive words and use them for up to
// four tokens.
//
// What bounds it: DRAM bandwidth for up to four tokens, because each weight is read once, in loads of 128 or 256
// bytes. The activations come from L1. The offset is outside the sum: sum x (code - 8) = sum x code - 8 sum x. So
// a word of codes needs two masks and a shift, and no subtraction.
#include <cuda_runtime.h>

constexpr int kWarps = 4;
constexpr int kTokens = 4;

__global__ void multiply(const uint2* x, const unsigned* w4, const int2* w8, const unsigned char* which, const int* place, int* y,
                         int m, int n, int words) {
    int feature = blockIdx.x * kWarps + threadIdx.y, token = blockIdx.y * kTokens, lane = threadIdx.x;
    if (feature >= n) return;
    size_t row = place[feature];
    bool wide = which[feature];
    int sums[kTokens] = {}, all[kTokens] = {};
    for (int i = lane; i < words; i += 32) {
        unsigned codes = wide ? 0 : w4[row * words + i];
        int2 weights = wide ? w8[row * words + i] : make_int2(codes & 0x0f0f0f0fu, codes >> 4 & 0x0f0f0f0fu);
#pragma unroll
        for (int t = 0; t < kTokens; ++t) {
            if (token + t >= m) break;
            uint2 own = x[size_t(token + t) * words + i];
            int first = own.x, second = own.y;
            if (!wide) {
                all[t] = __dp4a(second, 0x01010101, __dp4a(first, 0x01010101, all[t]));
                first = __byte_perm(own.x, own.y, 0x6420);
                second = __byte_perm(own.x, own.y, 0x7531);
            }
            sums[t] = __dp4a(weights.y, second, __dp4a(weights.x, first, sums[t]));
        }
    }
#pragma unroll
    for (int t = 0; t < kTokens; ++t) {
        int sum = sums[t] - 8 * all[t];
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
        if (lane == 0 && token + t < m) y[size_t(token + t) * n + feature] = sum;
    }
}

extern "C" void solve(const signed char* x, const unsigned char* w4, const signed char* w8, const unsigned char* which,
                      const int* place, int* y, int m, int n, int n4, int k) {
    dim3 grid((n - 1) / kWarps + 1, (m - 1) / kTokens + 1), threads(32, kWarps);
    multiply<<<grid, threads>>>(reinterpret_cast<const uint2*>(x), reinterpret_cast<const unsigned*>(w4),
                                reinterpret_cast<const int2*>(w8), which, place, y, m, n, k / 8);
}
