// Parts of 256 tokens, each with a block of its own, whatever the length of the sequence. A part stores its maximum, its sum of
// weights and its sums of values. A second kernel merges the parts of each head.
//
// What bounds it: bandwidth, also for a few long sequences. Eight lanes share a token's key, so a score takes three shuffles, and
// a warp has four tokens in flight. The parts are written and read, 8 (d + 2) bytes for each 1024 d bytes of keys and values.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kTokens = 256;   // of a part
constexpr int kThreads = 128;  // d is at most 128, so a thread has at most one dimension
constexpr int kLanes = 8;      // of a token
constexpr int kMostDims = 128;

__device__ float reduce_block(float value, bool greatest) {
    __shared__ float shared[kThreads];
    shared[threadIdx.x] = value;
    __syncthreads();
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            float other = shared[threadIdx.x + stride];
            shared[threadIdx.x] = greatest ? fmaxf(shared[threadIdx.x], other) : shared[threadIdx.x] + other;
        }
        __syncthreads();
    }
    float result = shared[0];
    __syncthreads();  // no thread may refill `shared` before all have read the result
    return result;
}

__global__ void attend_part(const __half* q, const __half* k_pages, const __half* v_pages, const int* table,
                            const int* length, float* parts, int h, int d, int page, int row, float scale) {
    __shared__ float own[kMostDims], weights[kTokens];
    __shared__ size_t places[kTokens];
    int head = blockIdx.x, part = blockIdx.y, sequence = blockIdx.z;
    int first = part * kTokens, count = min(kTokens, length[sequence] - first);
    if (count <= 0) {
        return;  // the grid is as large as the longest possible sequence needs
    }
    for (int c = threadIdx.x; c < d; c += kThreads) {
        own[c] = __half2float(q[(size_t(sequence) * h + head) * d + c]) * scale;
    }
    for (int at = threadIdx.x; at < count; at += kThreads) {
        int token = first + at, where = table[size_t(sequence) * row + token / page];
        places[at] = ((size_t(where) * page + token % page) * h + head) * d;
    }
    __syncthreads();

    int lane = threadIdx.x % kLanes;
    for (int base = 0; base < count; base += kThreads / kLanes) {  // the same for all lanes of a warp
        int at = base + threadIdx.x / kLanes;
        float score = 0.0f;
        if (at < count) {
            for (int c = lane; c < d; c += kLanes) {
                score += own[c] * __half2float(k_pages[places[at] + c]);
            }
        }
        for (int offset = kLanes / 2; offset > 0; offset /= 2) {
            score += __shfl_xor_sync(0xffffffffu, score, offset);
        }
        if (at < count && lane == 0) {
            weights[at] = score;
        }
    }
    __syncthreads();

    float most = -INFINITY, total = 0.0f;
    for (int at = threadIdx.x; at < count; at += kThreads) {
        most = fmaxf(most, weights[at]);
    }
    most = reduce_block(most, true);
    for (int at = threadIdx.x; at < count; at += kThreads) {
        weights[at] = expf(weights[at] - most);
        total += weights[at];
    }
    total = reduce_block(total, false);  // its barriers also make the weights visible

    float* mine = parts + ((size_t(sequence) * gridDim.y + part) * h + head) * (d + 2);
    for (int c = threadIdx.x; c < d; c += kThreads) {
        float sum = 0.0f;
        for (int at = 0; at < count; ++at) {
            sum += weights[at] * __half2float(v_pages[places[at] + c]);
        }
        mine[2 + c] = sum;
    }
    if (threadIdx.x == 0) {
        mine[0] = most;
        mine[1] = total;
    }
}

__global__ void merge(const float* parts, const int* length, __half* o, int h, int d, int most_parts) {
    int head = blockIdx.x, sequence = blockIdx.y, count = (length[sequence] + kTokens - 1) / kTokens;
    const float* first = parts + (size_t(sequence) * most_parts * h + head) * (d + 2);
    size_t stride = size_t(h) * (d + 2);
    float highest = -INFINITY;
    for (int part = 0; part < count; ++part) {
        highest = fmaxf(highest, first[part * stride]);
    }
    for (int c = threadIdx.x; c < d; c += blockDim.x) {
        float result = 0.0f, total = 0.0f;
        for (int part = 0; part < count; ++part) {
            const float* other = first + part * stride;
            float share = expf(other[0] - highest);
            total += share * other[1];
            result += share * other[2 + c];
        }
        o[(size_t(sequence) * h + head) * d + c] = __float2half_rn(result / total);
    }
}

extern "C" void solve(const __half* q, const __half* k_pages, const __half* v_pages, const int* table, const int* length,
                      __half* o, int b, int h, int d, int page, int row) {
    static float* parts = nullptr;
    static size_t kept = 0;
    int most_parts = (row * page + kTokens - 1) / kTokens;
    size_t bytes = size_t(b) * most_parts * h * (d + 2) * sizeof(float);
    if (bytes > kept) {
        cudaFree(parts);
        cudaMalloc(&parts, bytes);
        kept = bytes;
    }
    dim3 grid(h, most_parts, b);
    attend_part<<<grid, kThreads>>>(q, k_pages, v_pages, table, length, parts, h, d, page, row, 1.0f / sqrtf(d));
    merge<<<dim3(h, b), kThreads>>>(parts, length, o, h, d, most_parts);
}
