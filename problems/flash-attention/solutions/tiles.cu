// Tiles of 32 keys and values serve 16 queries, and each lane of a warp has a key of its own.
//
// What bounds it: arithmetic and shared memory. A lane computes a whole score without any shuffle. Maximum and sum need five
// shuffles for 32 keys. For the sums of values, lanes have dimensions instead, and each weight goes to all lanes. Rows
// have d + 1 numbers, so that lanes with different keys hit different banks.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kTile = 32;
constexpr int kWarps = 4;
constexpr int kQueries = 4;  // of a warp
constexpr int kBlock = kWarps * kQueries;
constexpr int kMost = 128;  // dimensions

__global__ void attend(const __half* q, const __half* k, const __half* v, __half* o, float* lse, int n, int d, float scale,
                       int causal) {
    extern __shared__ float shared[];
    int pitch = d + 1, lane = threadIdx.x, warp = threadIdx.y, own = warp * kQueries;
    float* keys = shared;
    float* values = keys + kTile * pitch;
    float* queries = values + kTile * pitch;
    size_t head = size_t(blockIdx.y) * n;
    int first = blockIdx.x * kBlock;
    for (int row = warp; row < kBlock; row += kWarps) {
        for (int c = lane; c < d; c += 32) {
            queries[row * pitch + c] = first + row < n ? __half2float(q[(head + first + row) * d + c]) : 0.0f;
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
    int end = causal ? min(n, first + kBlock) : n;
    for (int start = 0; start < end; start += kTile) {
        __syncthreads();
        for (int row = warp; row < kTile; row += kWarps) {
            for (int c = lane; c < d; c += 32) {
                bool inside = start + row < n;
                keys[row * pitch + c] = inside ? __half2float(k[(head + start + row) * d + c]) : 0.0f;
                values[row * pitch + c] = inside ? __half2float(v[(head + start + row) * d + c]) : 0.0f;
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
                for (int part = 0; part * 32 < d; ++part) {
                    int c = part * 32 + lane;
                    sums[i][part] += c < d ? share * values[other * pitch + c] : 0.0f;
                }
            }
        }
    }
    for (int i = 0; i < kQueries; ++i) {
        int query = first + own + i;
        if (query >= n) {
            break;
        }
        for (int part = 0; part < kMost / 32; ++part) {
            int c = part * 32 + lane;
            if (c < d) {
                o[(head + query) * d + c] = __float2half(sums[i][part] / total[i]);
            }
        }
        if (lane == 0) {
            lse[head + query] = most[i] + logf(total[i]);
        }
    }
}

extern "C" void solve(const __half* q, const __half* k, const __half* v, __half* o, float* lse, int b, int h, int n, int d,
                      int causal) {
    size_t bytes = size_t(2 * kTile + kBlock) * (d + 1) * sizeof(float);
    dim3 blocks((n + kBlock - 1) / kBlock, b * h);
    attend<<<blocks, dim3(32, kWarps), bytes>>>(q, k, v, o, lse, n, d, 1.0f / sqrtf(d), causal);
}
