// A bitonic sorting network: log2(n) (log2(n) + 1) / 2 passes, each of n / 2 independent comparisons.
//
// What bounds it: memory traffic, and there is a lot of it. For 2^26 elements the network has 351
// passes. Those over distances of at most 1024 stay inside a chunk of 2048 elements, so a block does
// all that follow each other in shared memory: 120 passes over global memory and 16 launches of the
// shared kernels remain.
//
// Every comparator puts the smaller element first: a merge begins by comparing element t with element k
// - 1 - t of its group, instead of sorting half of the groups downwards. Then absent elements behave
// like +infinity at the end, and comparators that reach beyond n are simply left out.
#include <cuda_runtime.h>
#include <math.h>

constexpr int kChunk = 2048;
constexpr int kThreads = kChunk / 2;

struct Pair {
    unsigned low;
    unsigned high;
};

// The elements that comparator `p` of the pass "first of a merge of size k" compares.
__device__ Pair mirrored(unsigned p, unsigned k) {
    unsigned group = p / (k / 2) * k, t = p % (k / 2);
    return {group + t, group + k - 1 - t};
}

// The elements that comparator `p` of the pass with distance `d` compares.
__device__ Pair shifted(unsigned p, unsigned d) {
    unsigned low = p / d * 2 * d + p % d;
    return {low, low + d};
}

__device__ void order(float* values, Pair pair) {
    float a = values[pair.low], b = values[pair.high];
    if (b < a) {
        values[pair.low] = b;
        values[pair.high] = a;
    }
}

__device__ void load_chunk(float* chunk, const float* data, unsigned first, unsigned n) {
    for (unsigned i = threadIdx.x; i < kChunk; i += kThreads) {
        chunk[i] = first + i < n ? data[first + i] : INFINITY;
    }
    __syncthreads();
}

__device__ void store_chunk(const float* chunk, float* data, unsigned first, unsigned n) {
    for (unsigned i = threadIdx.x; i < kChunk && first + i < n; i += kThreads) {
        data[first + i] = chunk[i];
    }
}

// All passes with distances up to `d` < kChunk.
__device__ void finish_merge(float* chunk, unsigned d) {
    for (; d > 0; d /= 2) {
        order(chunk, shifted(threadIdx.x, d));
        __syncthreads();
    }
}

__global__ void sort_chunks(float* data, unsigned n) {
    __shared__ float chunk[kChunk];
    unsigned first = blockIdx.x * kChunk;
    load_chunk(chunk, data, first, n);
    for (unsigned k = 2; k <= kChunk; k *= 2) {
        order(chunk, mirrored(threadIdx.x, k));
        __syncthreads();
        finish_merge(chunk, k / 4);
    }
    store_chunk(chunk, data, first, n);
}

__global__ void finish_merges(float* data, unsigned n) {
    __shared__ float chunk[kChunk];
    unsigned first = blockIdx.x * kChunk;
    load_chunk(chunk, data, first, n);
    finish_merge(chunk, kChunk / 2);
    store_chunk(chunk, data, first, n);
}

__global__ void mirrored_pass(float* data, unsigned n, unsigned k) {
    Pair pair = mirrored(blockIdx.x * blockDim.x + threadIdx.x, k);
    if (pair.high < n) {
        order(data, pair);
    }
}

__global__ void shifted_pass(float* data, unsigned n, unsigned d) {
    Pair pair = shifted(blockIdx.x * blockDim.x + threadIdx.x, d);
    if (pair.high < n) {
        order(data, pair);
    }
}

extern "C" void solve(float* data, int n) {
    unsigned chunks = (unsigned(n) + kChunk - 1) / kChunk;
    unsigned padded = kChunk;
    while (padded < unsigned(n)) {
        padded *= 2;
    }
    sort_chunks<<<chunks, kThreads>>>(data, n);
    for (unsigned k = 2 * kChunk; k <= padded; k *= 2) {
        mirrored_pass<<<padded / 2 / 256, 256>>>(data, n, k);
        for (unsigned d = k / 4; d >= kChunk; d /= 2) {
            shifted_pass<<<padded / 2 / 256, 256>>>(data, n, d);
        }
        finish_merges<<<chunks, kThreads>>>(data, n);
    }
}
