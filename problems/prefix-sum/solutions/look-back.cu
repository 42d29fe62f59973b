// One pass. Each tile publishes its total, looks back at the tiles before it until it meets a complete prefix,
// publishes its own and writes. Bound by memory bandwidth: 8 bytes per element, as in a copy.
// Source: Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kItems = 16;  // consecutive elements per thread
constexpr int kTile = kThreads * kItems;
constexpr int kWarps = kThreads / 32;
constexpr unsigned kAll = 0xffffffffu;

// One word per tile: what is known in the upper half, the number in the lower. Both change in one store.
using Word = unsigned long long;
constexpr unsigned kNothing = 0, kTotal = 1, kPrefix = 2;

__device__ void publish(volatile Word* word, unsigned known, float value) {
    *word = Word(known) << 32 | __float_as_uint(value);
}

// Element i of the tile lies at padded(i), so that the threads' runs of kItems start in different banks.
__device__ int padded(int i) { return i + i / kItems; }

__device__ float scan_warp(float value) {
    int lane = threadIdx.x % 32;
    for (int distance = 1; distance < 32; distance *= 2) {
        float before = __shfl_up_sync(kAll, value, distance);
        value += lane >= distance ? before : 0.0f;
    }
    return value;
}

// The sum of all tiles before `tile`, found by one warp that looks at 32 predecessors at a time.
__device__ float look_back(volatile Word* words, int tile) {
    int lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int nearest = tile - 1; nearest >= 0; nearest -= 32) {
        int own = nearest - lane;
        Word word = Word(kPrefix) << 32;  // before the first tile: nothing, and that is complete
        do {
            if (own >= 0) {
                word = words[own];
            }
        } while (__any_sync(kAll, word >> 32 == kNothing));
        unsigned complete = __ballot_sync(kAll, word >> 32 == kPrefix);
        int last = complete ? __ffs(complete) - 1 : 31;
        float part = lane <= last ? __uint_as_float(static_cast<unsigned>(word)) : 0.0f;
        for (int distance = 16; distance > 0; distance /= 2) {
            part += __shfl_xor_sync(kAll, part, distance);
        }
        sum += part;
        if (complete) {
            break;
        }
    }
    return sum;
}

__global__ void __launch_bounds__(kThreads)
scan(const float* __restrict__ input, float* __restrict__ output, int n, unsigned* counter, volatile Word* words) {
    __shared__ float items[kTile + kThreads];
    __shared__ float warp_sums[kWarps];
    __shared__ float before_tile;
    __shared__ int tile_number;
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;

    // Tiles are given out in the order of arrival, so the tiles that a block waits for have started.
    if (threadIdx.x == 0) {
        tile_number = static_cast<int>(atomicAdd(counter, 1u));
    }
    __syncthreads();
    int tile = tile_number;
    size_t first = size_t(tile) * kTile;
    for (int i = threadIdx.x; i < kTile; i += kThreads) {
        items[padded(i)] = first + i < n ? input[first + i] : 0.0f;
    }
    __syncthreads();

    float sums[kItems];
    float sum = 0.0f;
    for (int k = 0; k < kItems; ++k) {
        sum += items[padded(threadIdx.x * kItems + k)];
        sums[k] = sum;
    }
    float scanned = scan_warp(sum);
    float before = __shfl_up_sync(kAll, scanned, 1);
    before = lane > 0 ? before : 0.0f;
    if (lane == 31) {
        warp_sums[warp] = scanned;
    }
    __syncthreads();

    if (warp == 0) {
        float warps = scan_warp(lane < kWarps ? warp_sums[lane] : 0.0f);
        float total = __shfl_sync(kAll, warps, kWarps - 1);
        if (lane == 0) {
            publish(words + tile, tile == 0 ? kPrefix : kTotal, total);
        }
        float prefix = look_back(words, tile);
        if (lane == 0) {
            publish(words + tile, kPrefix, prefix + total);
            before_tile = prefix;
        }
        if (lane < kWarps) {
            warp_sums[lane] = warps;
        }
    }
    __syncthreads();

    before += before_tile + (warp > 0 ? warp_sums[warp - 1] : 0.0f);
    for (int k = 0; k < kItems; ++k) {
        items[padded(threadIdx.x * kItems + k)] = before + sums[k];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kTile && first + i < n; i += kThreads) {
        output[first + i] = items[padded(i)];
    }
}

// Static, so that no call has to allocate: 4 MB, enough for n up to 2^31 - 1. The last word is the counter of tiles.
constexpr size_t kMostTiles = (size_t(1) << 31) / kTile;
__device__ Word workspace[kMostTiles + 1];

extern "C" void solve(const float* input, float* output, int n) {
    int tiles = (n - 1) / kTile + 1;
    void* address = nullptr;
    cudaGetSymbolAddress(&address, workspace);
    Word* words = static_cast<Word*>(address);
    Word* counter = words + kMostTiles;
    cudaMemsetAsync(words, 0, tiles * sizeof(Word));
    cudaMemsetAsync(counter, 0, sizeof(Word));
    scan<<<tiles, kThreads>>>(input, output, n, reinterpret_cast<unsigned*>(counter), words);
}
