// Each part subtracts its own maximum in the exponent. Before their sums are added, multiply them by exp(maximum of the part - common
// maximum).
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kKeys = 8;
constexpr int kQueries = 32;
constexpr int kTeam = 4;   // threads of a query
constexpr int kParts = 2;  // of the keys

template <int kPart>  // dimensions of a thread
__global__ void attend(const __half* q, const __half* k, const __half* v, float* parts, float* most_of, float* total_of, int n,
                       int d, float scale, int causal) {
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
    int share = ((n + kKeys - 1) / kKeys + kParts - 1) / kParts * kKeys;
    int end = min(causal ? min(n, first + kQueries) : n, share * int(blockIdx.z + 1));
    for (int start = share * blockIdx.z; start < end; start += kKeys) {
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
            scores[row] = seen ? score * scale : -INFINITY;
            next = fmaxf(next, scores[row]);
        }
        if (next == -INFINITY) {
            continue;  // the query sees none of the keys up to here
        }
        float old = expf(most - next);
        most = next;
        total *= old;
#pragma unroll
        for (int i = 0; i < kPart; ++i) {
            sums[i] *= old;
        }
#pragma unroll
        for (int row = 0; row < kKeys; ++row) {
            float weight = expf(scores[row] - next);
            total += weight;
#pragma unroll
            for (int i = 0; i < kPart; ++i) {
                sums[i] += weight * values[row][i * kTeam + member];
            }
        }
    }
    if (query < n) {
        size_t row = (size_t(blockIdx.z) * gridDim.y + blockIdx.y) * n + query;
#pragma unroll
        for (int i = 0; i < kPart; ++i) {
            int c = i * kTeam + member;
            if (c < d) {
                parts[row * d + c] = sums[i];
            }
        }
        if (member == 0) {
            most_of[row] = most;
            total_of[row] = total;
        }
    }
}

// A warp for each query brings the sums of all parts to a common maximum.
__global__ void merge(const float* parts, const float* most_of, const float* total_of, __half* o, float* lse, size_t rows, int d) {
    size_t row = size_t(blockIdx.x) * blockDim.y + threadIdx.y;
    if (row >= rows) {
        return;
    }
    float most = -INFINITY, total = 0.0f;
    for (int part = 0; part < kParts; ++part) {
        most = fmaxf(most, most_of[part * rows + row]);
    }
    for (int part = 0; part < kParts; ++part) {
        total += total_of[part * rows + row];
    }
    for (int c = threadIdx.x; c < d; c += 32) {
        float sum = 0.0f;
        for (int part = 0; part < kParts; ++part) {
            sum += parts[(part * rows + row) * d + c];
        }
        o[row * d + c] = __float2half(sum / total);
    }
    if (threadIdx.x == 0) {
        lse[row] = most + logf(total);
    }
}

extern "C" void solve(const __half* q, const __half* k, const __half* v, __half* o, float* lse, int b, int h, int n, int d,
                      int causal) {
    auto kernel = d <= 16 ? attend<4> : d <= 64 ? attend<16> : attend<32>;
    size_t rows = size_t(b) * h * n;
    float* parts;
    cudaMalloc(&parts, kParts * rows * (d + 2) * sizeof(float));
    float* most_of = parts + kParts * rows * d;
    float* total_of = most_of + kParts * rows;
    dim3 blocks((n + kQueries - 1) / kQueries, b * h, kParts);
    kernel<<<blocks, kTeam * kQueries>>>(q, k, v, parts, most_of, total_of, n, d, 1.0f / sqrtf(d), causal);
    merge<<<unsigned((rows + 3) / 4), dim3(32, 4)>>>(parts, most_of, total_of, o, lse, rows, d);
    cudaFree(parts);
}
