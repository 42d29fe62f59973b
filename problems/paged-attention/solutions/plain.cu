// A warp for each head of each sequence, and one pass over its tokens with an online softmax.
//
// What bounds it: latency. A warp waits for a table entry, then for a key, then for five shuffles, before it asks for the next
// token. Each key and each value is read once, in whole sectors, but a long sequence keeps few warps busy.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kWarps = 4;
constexpr int kParts = 4;  // dimensions of a lane: d is at most 128

__global__ void attend(const __half* q, const __half* k_pages, const __half* v_pages, const int* table, const int* length,
                       __half* o, int h, int d, int page, int row, float scale) {
    int head = blockIdx.x * kWarps + threadIdx.y, sequence = blockIdx.y, lane = threadIdx.x;
    if (head >= h) {
        return;
    }
    size_t own_place = (size_t(sequence) * h + head) * d;
    float own[kParts], sums[kParts], most = -INFINITY, total = 0.0f;
    for (int part = 0; part < kParts; ++part) {
        int c = part * 32 + lane;
        own[part] = c < d ? __half2float(q[own_place + c]) * scale : 0.0f;
        sums[part] = 0.0f;
    }
    int tokens = length[sequence];
    for (int token = 0; token < tokens; ++token) {
        int where = table[size_t(sequence) * row + token / page];
        size_t place = ((size_t(where) * page + token % page) * h + head) * d;
        float score = 0.0f;
        for (int part = 0; part * 32 < d; ++part) {
            int c = part * 32 + lane;
            score += c < d ? own[part] * __half2float(k_pages[place + c]) : 0.0f;
        }
        for (int offset = 16; offset > 0; offset /= 2) {
            score += __shfl_xor_sync(0xffffffffu, score, offset);
        }
        float next = fmaxf(most, score), old = expf(most - next), weight = expf(score - next);
        total = total * old + weight;
        for (int part = 0; part * 32 < d; ++part) {
            int c = part * 32 + lane;
            sums[part] = sums[part] * old + (c < d ? weight * __half2float(v_pages[place + c]) : 0.0f);
        }
        most = next;
    }
    for (int part = 0; part * 32 < d; ++part) {
        int c = part * 32 + lane;
        if (c < d) {
            o[own_place + c] = __float2half_rn(sums[part] / total);
        }
    }
}

extern "C" void solve(const __half* q, const __half* k_pages, const __half* v_pages, const int* table, const int* length,
                      __half* o, int b, int h, int d, int page, int row) {
    dim3 grid((h + kWarps - 1) / kWarps, b);
    attend<<<grid, dim3(32, kWarps)>>>(q, k_pages, v_pages, table, length, o, h, d, page, row, 1.0f / sqrtf(d));
}
