// Wrong: the barrier before the loads is missing. A fast warp overwrites the tile with the next keys while others still use
// this one. If there is one tile only, nothing is overwritten.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kTile = 32;
constexpr int kRows = 8;    // one for each warp
constexpr int kMost = 128;  // dimensions

__global__ void attend(const __half* q, const __half* k, const __half* v, __half* o, int m, int n, int hq, int hk, int d,
                       float scale) {
    extern __shared__ float shared[];
    int pitch = d + 1, lane = threadIdx.x, warp = threadIdx.y, group = hq / hk;
    float* keys = shared;
    float* values = keys + kTile * pitch;
    float* own = values + kTile * pitch + warp * pitch;
    int row = blockIdx.x * kRows + warp, query = row / group, shared_head = blockIdx.y;
    int head = shared_head * group + row % group, seen = n - m + query + 1;
    size_t place = ((size_t(blockIdx.z) * m + query) * hq + head) * d;
    size_t first = (size_t(blockIdx.z) * n * hk + shared_head) * d;
    bool known = query < m;
    for (int c = lane; c < d; c += 32) {
        own[c] = known ? __half2float(q[place + c]) * scale : 0.0f;
    }
    float most = -INFINITY, total = 0.0f, sums[kMost / 32];
    for (int part = 0; part < kMost / 32; ++part) {
        sums[part] = 0.0f;
    }
    int last = min(n, n - m + (int(blockIdx.x) * kRows + kRows - 1) / group + 1);  // what the last row of the block sees
    for (int start = 0; start < last; start += kTile) {
        for (int other = warp; other < kTile; other += kRows) {
            size_t at = first + size_t(start + other) * hk * d;
            for (int c = lane; c < d; c += 32) {
                bool inside = start + other < n;
                keys[other * pitch + c] = inside ? __half2float(k[at + c]) : 0.0f;
                values[other * pitch + c] = inside ? __half2float(v[at + c]) : 0.0f;
            }
        }
        __syncthreads();
        float score = 0.0f;
        for (int c = 0; c < d; ++c) {
            score += own[c] * keys[lane * pitch + c];
        }
        score = start + lane < seen ? score : -INFINITY;
        float next = fmaxf(most, score);
        for (int offset = 16; offset > 0; offset /= 2) {
            next = fmaxf(next, __shfl_xor_sync(0xffffffffu, next, offset));
        }
        float old = expf(most - next), weight = expf(score - next), sum = weight;
        for (int offset = 16; offset > 0; offset /= 2) {
            sum += __shfl_xor_sync(0xffffffffu, sum, offset);
        }
        most = next;
        total = total * old + sum;
        for (int part = 0; part < kMost / 32; ++part) {
            sums[part] *= old;
        }
        for (int other = 0; other < kTile; ++other) {
            float share = __shfl_sync(0xffffffffu, weight, other);
            for (int part = 0; part * 32 < d; ++part) {
                int c = part * 32 + lane;
                sums[part] += c < d ? share * values[other * pitch + c] : 0.0f;
            }
        }
    }
    for (int part = 0; part * 32 < d; ++part) {
        int c = part * 32 + lane;
        if (known && c < d) {
            o[place + c] = __float2half_rn(sums[part] / total);
        }
    }
}

extern "C" void solve(const __half* q, const __half* k, const __half* v, __half* o, int b, int m, int n, int hq, int hk,
                      int d) {
    int rows = m * (hq / hk);
    size_t bytes = size_t(2 * kTile + kRows) * (d + 1) * sizeof(float);
    dim3 grid((rows + kRows - 1) / kRows, hk, b);
    attend<<<grid, dim3(32, kRows), bytes>>>(q, k, v, o, m, n, hq, hk, d, 1.0f / sqrtf(d));
}
