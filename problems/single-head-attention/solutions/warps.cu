// A warp for each query, and one pass over the keys with an online softmax.
//
// What bounds it: the caches. No scores are stored, but each query reads all keys and values, 8 * n * n * d
// bytes. The lanes share out the dimensions, so a score takes five shuffles. If a new maximum appears, both
// the sum of weights and the sums of values are rescaled to it.
#include <cuda_runtime.h>

constexpr int kWarps = 4;
constexpr int kParts = 4;  // dimensions of a lane: d is at most 128

__global__ void attend(const float* q, const float* k, const float* v, float* o, int n, int d, float scale, int causal) {
    int query = blockIdx.x * kWarps + threadIdx.y, lane = threadIdx.x;
    if (query >= n) {
        return;
    }
    float own[kParts], sums[kParts], most = -INFINITY, total = 0.0f;
    for (int part = 0; part < kParts; ++part) {
        int c = part * 32 + lane;
        own[part] = c < d ? q[size_t(query) * d + c] : 0.0f;
        sums[part] = 0.0f;
    }
    int last = causal ? query + 1 : n;
    for (int key = 0; key < last; ++key) {
        float score = 0.0f;
        for (int part = 0; part * 32 < d; ++part) {
            int c = part * 32 + lane;
            score += c < d ? own[part] * k[size_t(key) * d + c] : 0.0f;
        }
        for (int offset = 16; offset > 0; offset /= 2) {
            score += __shfl_xor_sync(0xffffffffu, score, offset);
        }
        score *= scale;
        float next = fmaxf(most, score), old = expf(most - next), weight = expf(score - next);
        total = total * old + weight;
        for (int part = 0; part * 32 < d; ++part) {
            int c = part * 32 + lane;
            sums[part] = sums[part] * old + (c < d ? weight * v[size_t(key) * d + c] : 0.0f);
        }
        most = next;
    }
    for (int part = 0; part * 32 < d; ++part) {
        int c = part * 32 + lane;
        if (c < d) {
            o[size_t(query) * d + c] = sums[part] / total;
        }
    }
}

extern "C" void solve(const float* q, const float* k, const float* v, float* o, int n, int d, int causal) {
    attend<<<(n + kWarps - 1) / kWarps, dim3(32, kWarps)>>>(q, k, v, o, n, d, 1.0f / sqrtf(d), causal);
}
