// Wrong: the barrier before the loads is missing. A fast warp overwrites the tile with the next keys while
// others still multiply with this one. If there is one tile only, nothing is overwritten.
#include <cuda_runtime.h>

constexpr int kTile = 32;
constexpr int kWarps = 4;
constexpr int kQueries = 4;  // of a warp
constexpr int kMost = 128;   // dimensions

__global__ void attend(const float* q, const float* k, const float* v, float* o, int n, int d, float scale, int causal) {
    extern __shared__ float shared[];
    int pitch = d + 1, lane = threadIdx.x, warp = threadIdx.y;
    float* keys = shared;
    float* values = keys + kTile * pitch;
    float* queries = values + kTile * pitch;
    int first = blockIdx.x * kWarps * kQueries, own = warp * kQueries;
    for (int row = warp; row < kWarps * kQueries; row += kWarps) {
        for (int c = lane; c < d; c += 32) {
            queries[row * pitch + c] = first + row < n ? q[size_t(first + row) * d + c] : 0.0f;
        }
    }
    float most[kQueries], total[kQueries], sums[kQueries][kMost / 32];
    for (int i = 0; i < kQueries; ++i) {
        most[i] = -INFINITY;
        total[i] = 0.0f;
        for (int part = 0; part < kMost / 32; ++part) {
            sums[i][part] = 0.0f;
        }
    }
    int end = causal ? min(n, first + kWarps * kQueries) : n;
    for (int start = 0; start < end; start += kTile) {
        for (int row = warp; row < kTile; row += kWarps) {
            for (int c = lane; c < d; c += 32) {
                bool inside = start + row < n;
                keys[row * pitch + c] = inside ? k[size_t(start + row) * d + c] : 0.0f;
                values[row * pitch + c] = inside ? v[size_t(start + row) * d + c] : 0.0f;
            }
        }
        __syncthreads();
        int key = start + lane;
        for (int i = 0; i < kQueries; ++i) {
            int query = first + own + i;
            float score = 0.0f;
            for (int c = 0; c < d; ++c) {
                score += queries[(own + i) * pitch + c] * keys[lane * pitch + c];
            }
            score = key < n && (!causal || key <= query) ? score * scale : -INFINITY;
            float next = fmaxf(most[i], score);
            for (int offset = 16; offset > 0; offset /= 2) {
                next = fmaxf(next, __shfl_xor_sync(0xffffffffu, next, offset));
            }
            float old = expf(most[i] - next), weight = expf(score - next), sum = weight;
            for (int offset = 16; offset > 0; offset /= 2) {
                sum += __shfl_xor_sync(0xffffffffu, sum, offset);
            }
            most[i] = next;
            total[i] = total[i] * old + sum;
            for (int part = 0; part < kMost / 32; ++part) {
                sums[i][part] *= old;
            }
            for (int other = 0; other < kTile; ++other) {
                float share = __shfl_sync(0xffffffffu, weight, other);
                for (int part = 0; part < kMost / 32; ++part) {
                    int c = part * 32 + lane;
                    sums[i][part] += c < d ? share * values[other * pitch + c] : 0.0f;
                }
            }
        }
    }
    for (int i = 0; i < kQueries; ++i) {
        for (int part = 0; part < kMost / 32; ++part) {
            int query = first + own + i, c = part * 32 + lane;
            if (query < n && c < d) {
                o[size_t(query) * d + c] = sums[i][part] / total[i];
            }
        }
    }
}

extern "C" void solve(const float* q, const float* k, const float* v, float* o, int n, int d, int causal) {
    constexpr int kBlock = kWarps * kQueries;
    size_t bytes = size_t(2 * kTile + kBlock) * (d + 1) * sizeof(float);
    attend<<<(n + kBlock - 1) / kBlock, dim3(32, kWarps), bytes>>>(q, k, v, o, n, d, 1.0f / sqrtf(d), causal);
}
