// Right, and without scores in memory. But each query reads all keys and values of its head from the caches, 4 * n * d bytes. Let a
// block load a tile into shared memory once for all of its queries.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kWarps = 4;
constexpr int kParts = 4;  // dimensions of a lane: d is at most 128

__global__ void attend(const __half* q, const __half* k, const __half* v, __half* o, float* lse, int n, int d, float scale,
                       int causal) {
    int query = blockIdx.x * kWarps + threadIdx.y, lane = threadIdx.x;
    size_t head = size_t(blockIdx.y) * n;
    if (query >= n) {
        return;
    }
    float own[kParts], sums[kParts], most = -INFINITY, total = 0.0f;
    for (int part = 0; part < kParts; ++part) {
        int c = part * 32 + lane;
        own[part] = c < d ? __half2float(q[(head + query) * d + c]) : 0.0f;
        sums[part] = 0.0f;
    }
    int last = causal ? query + 1 : n;
    for (int key = 0; key < last; ++key) {
        float score = 0.0f;
        for (int part = 0; part < kParts; ++part) {
            int c = part * 32 + lane;
            score += c < d ? own[part] * __half2float(k[(head + key) * d + c]) : 0.0f;
        }
        for (int offset = 16; offset > 0; offset /= 2) {
            score += __shfl_xor_sync(0xffffffffu, score, offset);
        }
        score *= scale;
        float next = fmaxf(most, score), old = expf(most - next), weight = expf(score - next);
        total = total * old + weight;
        for (int part = 0; part < kParts; ++part) {
            int c = part * 32 + lane;
            sums[part] = sums[part] * old + (c < d ? weight * __half2float(v[(head + key) * d + c]) : 0.0f);
        }
        most = next;
    }
    for (int part = 0; part < kParts; ++part) {
        int c = part * 32 + lane;
        if (c < d) {
            o[(head + query) * d + c] = __float2half(sums[part] / total);
        }
    }
    if (lane == 0) {
        lse[head + query] = most + logf(total);
    }
}

extern "C" void solve(const __half* q, const __half* k, const __half* v, __half* o, float* lse, int b, int h, int n, int d,
                      int causal) {
    dim3 blocks((n + kWarps - 1) / kWarps, b * h);
    attend<<<blocks, dim3(32, kWarps)>>>(q, k, v, o, lse, n, d, 1.0f / sqrtf(d), causal);
}
