// A warp for each query of each head, and one pass over the keys with an online softmax.
//
// What bounds it: the caches and the shuffles. The warps of a block have neighbouring heads, which mostly share keys and values,
// so L1 serves the second and later warps. A score takes five shuffles.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kWarps = 4;
constexpr int kParts = 4;  // dimensions of a lane: d is at most 128

__global__ void attend(const __half* q, const __half* k, const __half* v, __half* o, int m, int n, int hq, int hk, int d,
                       float scale) {
    int head = blockIdx.x * kWarps + threadIdx.y, lane = threadIdx.x, seen = n - m + blockIdx.y + 1;
    if (head >= hq) {
        return;
    }
    size_t place = ((size_t(blockIdx.z) * m + blockIdx.y) * hq + head) * d;
    size_t first = (size_t(blockIdx.z) * n * hk + head / (hq / hk)) * d;
    float own[kParts], sums[kParts], most = -INFINITY, total = 0.0f;
    for (int part = 0; part < kParts; ++part) {
        int c = part * 32 + lane;
        own[part] = c < d ? __half2float(q[place + c]) * scale : 0.0f;
        sums[part] = 0.0f;
    }
    for (int key = 0; key < seen; ++key) {
        const __half* keys = k + first + size_t(key) * hk * d;
        const __half* values = v + first + size_t(key) * hk * d;
        float score = 0.0f;
        for (int part = 0; part * 32 < d; ++part) {
            int c = part * 32 + lane;
            score += c < d ? own[part] * __half2float(keys[c]) : 0.0f;
        }
        for (int offset = 16; offset > 0; offset /= 2) {
            score += __shfl_xor_sync(0xffffffffu, score, offset);
        }
        float next = fmaxf(most, score), old = expf(most - next), weight = expf(score - next);
        total = total * old + weight;
        for (int part = 0; part * 32 < d; ++part) {
            int c = part * 32 + lane;
            sums[part] = sums[part] * old + (c < d ? weight * __half2float(values[c]) : 0.0f);
        }
        most = next;
    }
    for (int part = 0; part * 32 < d; ++part) {
        int c = part * 32 + lane;
        if (c < d) {
            o[place + c] = __float2half_rn(sums[part] / total);
        }
    }
}

extern "C" void solve(const __half* q, const __half* k, const __half* v, __half* o, int b, int m, int n, int hq, int hk,
                      int d) {
    dim3 grid((hq + kWarps - 1) / kWarps, m, b);
    attend<<<grid, dim3(32, kWarps)>>>(q, k, v, o, m, n, hq, hk, d, 1.0f / sqrtf(d));
}
