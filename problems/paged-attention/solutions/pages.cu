// A block for each head of each sequence. Its warps take every fourth page, so four pages are on their way at a time. At the end
// they merge their maxima, sums of weights and sums of values in shared memory.
//
// What bounds it: bandwidth, as long as there are enough sequences and heads. A warp looks a page up once, not once per token.
// The longest sequence decides when the last block ends.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kWarps = 4;
constexpr int kParts = 4;  // dimensions of a lane: d is at most 128
constexpr int kDims = 32 * kParts;

__global__ void attend(const __half* q, const __half* k_pages, const __half* v_pages, const int* table, const int* length,
                       __half* o, int h, int d, int page, int row, float scale) {
    __shared__ float found[kWarps][kDims];
    __shared__ float maxima[kWarps], totals[kWarps];
    int head = blockIdx.x, sequence = blockIdx.y, lane = threadIdx.x, warp = threadIdx.y;
    size_t own_place = (size_t(sequence) * h + head) * d;
    float own[kParts], sums[kParts], most = -INFINITY, total = 0.0f;
    for (int part = 0; part < kParts; ++part) {
        int c = part * 32 + lane;
        own[part] = c < d ? __half2float(q[own_place + c]) * scale : 0.0f;
        sums[part] = 0.0f;
    }
    int tokens = length[sequence], pages = (tokens + page - 1) / page;
    for (int at = warp; at < pages; at += kWarps) {
        size_t first = (size_t(table[size_t(sequence) * row + at]) * page * h + head) * d;
        int slots = min(page, tokens - at * page);
        for (int slot = 0; slot < slots; ++slot) {
            size_t place = first + size_t(slot) * h * d;
            float score = 0.0f;
            for (int part = 0; part * 32 < d; ++part) {
                int c = part * 32 + lane;
                score += c < d ? own[part] * __half2float(k_pages[place + c]) : 0.0f;
            }
            for (int offset = 16; offset > 0; offset /= 2) {
                score += __shfl_xor_sync(0xffffffffu, score, offset);
            }
            if (score > most) {
                float old = expf(most - score);  // 0 for the first token, whose maximum was minus infinity
                total *= old;
                for (int part = 0; part < kParts; ++part) {
                    sums[part] *= old;
                }
                most = score;
            }
            float weight = expf(score - most);
            total += weight;
            for (int part = 0; part * 32 < d; ++part) {
                int c = part * 32 + lane;
                sums[part] += c < d ? weight * __half2float(v_pages[place + c]) : 0.0f;
            }
        }
    }
    for (int part = 0; part < kParts; ++part) {
        found[warp][part * 32 + lane] = sums[part];
    }
    if (lane == 0) {
        maxima[warp] = most;
        totals[warp] = total;
    }
    __syncthreads();
    float highest = maxima[0];  // warp 0 has a page, because each sequence has a token
    for (int other = 1; other < kWarps; ++other) {
        highest = fmaxf(highest, maxima[other]);
    }
    for (int c = warp * 32 + lane; c < d; c += 32 * kWarps) {
        float result = 0.0f, weights = 0.0f;
        for (int other = 0; other < kWarps; ++other) {
            float share = expf(maxima[other] - highest);  // 0 for a warp without pages
            result += share * found[other][c];
            weights += share * totals[other];
        }
        o[own_place + c] = __float2half_rn(result / weights);
    }
}

extern "C" void solve(const __half* q, const __half* k_pages, const __half* v_pages, const int* table, const int* length,
                      __half* o, int b, int h, int d, int page, int row) {
    attend<<<dim3(h, b), dim3(32, kWarps)>>>(q, k_pages, v_pages, table, length, o, h, d, page, row, 1.0f / sqrtf(d));
}
