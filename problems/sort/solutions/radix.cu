// Least significant digit first: four stable passes over 8-bit digits.
//
// What bounds it: DRAM bandwidth. Each pass reads the keys twice, to count and to move them, and writes
// them once: 48 bytes per element altogether, whatever n is. A comparison sort reads and writes
// everything log2(n / chunk) times.
//
// Order without comparisons: the bits of a float, read as an integer, are in order for positive numbers
// and in reverse for negative ones. Flipping the sign bit of the former and all bits of the latter
// makes unsigned keys. Inside a tile each warp ranks 32 keys at once: __match_any_sync tells a lane
// which others have its digit. Tiles are sorted in shared memory first, so that what goes to one digit
// leaves in runs.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kItems = 16;
constexpr int kTile = kThreads * kItems;
constexpr int kDigits = 256;  // one thread per digit: equals kThreads
constexpr unsigned kAllLanes = 0xffffffffu;

__device__ unsigned key_of(float value) {
    unsigned bits = __float_as_uint(value);
    return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}

__device__ float value_of(unsigned key) {
    return __uint_as_float(key ^ (key >> 31 ? 0x80000000u : 0xffffffffu));
}

__device__ unsigned digit_of(unsigned key, int shift) { return key >> shift & (kDigits - 1); }

// The sum of `value` over all threads before this one. Every thread of the block must call it.
__device__ unsigned exclusive_scan(unsigned value) {
    __shared__ unsigned warps[kWarps];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned inclusive = value;
    for (int offset = 1; offset < 32; offset *= 2) {
        unsigned left = __shfl_up_sync(kAllLanes, inclusive, offset);
        if (lane >= offset) {
            inclusive += left;
        }
    }
    if (lane == 31) {
        warps[warp] = inclusive;
    }
    __syncthreads();
    unsigned before = 0;
    for (int i = 0; i < warp; ++i) {
        before += warps[i];
    }
    __syncthreads();  // `warps` is used again by the next call
    return before + inclusive - value;
}

// counts[digit][tile] = how many keys of the tile have the digit.
__global__ void count_digits(const float* keys, unsigned* counts, unsigned n, int shift) {
    __shared__ unsigned histogram[kDigits];
    histogram[threadIdx.x] = 0;
    __syncthreads();
    unsigned first = blockIdx.x * kTile;
    for (int i = 0; i < kItems; ++i) {
        unsigned at = first + i * kThreads + threadIdx.x;
        if (at < n) {
            atomicAdd(&histogram[digit_of(key_of(keys[at]), shift)], 1u);
        }
    }
    __syncthreads();
    counts[size_t(threadIdx.x) * gridDim.x + blockIdx.x] = histogram[threadIdx.x];
}

// One block per digit: turns its counts into sums over the tiles before, and totals[digit] into their sum.
__global__ void scan_tiles(unsigned* counts, unsigned* totals, unsigned tiles) {
    __shared__ unsigned chunk_total;
    unsigned* row = counts + size_t(blockIdx.x) * tiles;
    unsigned before = 0;
    for (unsigned first = 0; first < tiles; first += kThreads) {
        unsigned tile = first + threadIdx.x;
        unsigned count = tile < tiles ? row[tile] : 0;
        unsigned sum = exclusive_scan(count);
        if (tile < tiles) {
            row[tile] = before + sum;
        }
        if (threadIdx.x == kThreads - 1) {
            chunk_total = sum + count;
        }
        __syncthreads();
        before += chunk_total;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        totals[blockIdx.x] = before;
    }
}

__global__ void move_keys(const float* from, float* to, const unsigned* counts, const unsigned* totals,
                          unsigned n, int shift) {
    __shared__ unsigned warp_counts[kWarps][kDigits];
    __shared__ unsigned local_start[kDigits];
    __shared__ unsigned
        destination[kDigits];  // global place of a digit's first key here, less its local place
    __shared__ unsigned sorted[kTile];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned first = blockIdx.x * kTile;
    unsigned present = min(unsigned(kTile), n - first);

    for (int i = 0; i < kWarps; ++i) {
        warp_counts[i][threadIdx.x] = 0;
    }
    __syncthreads();

    // Rank each key among the keys of its warp with the same digit, in order. Absent keys of the last tile
    // count as the largest key; they come last of all and are not written.
    unsigned keys[kItems], ranks[kItems];
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        unsigned at = warp * (32 * kItems) + i * 32 + lane;
        keys[i] = at < present ? key_of(from[first + at]) : 0xffffffffu;
        unsigned digit = digit_of(keys[i], shift);
        unsigned peers = __match_any_sync(kAllLanes, digit);
        unsigned before = peers & ((1u << lane) - 1);
        unsigned base = warp_counts[warp][digit];
        __syncwarp();
        if (before == 0) {
            warp_counts[warp][digit] = base + __popc(peers);
        }
        __syncwarp();
        ranks[i] = base + __popc(before);
    }
    __syncthreads();

    // Thread d looks after digit d: where each warp's keys of that digit start, here and in the output.
    unsigned digit = threadIdx.x, total = 0;
    for (int i = 0; i < kWarps; ++i) {
        unsigned count = warp_counts[i][digit];
        warp_counts[i][digit] = total;
        total += count;
    }
    unsigned start = exclusive_scan(total);
    local_start[digit] = start;
    destination[digit] =
        exclusive_scan(totals[digit]) + counts[size_t(digit) * gridDim.x + blockIdx.x] - start;
    __syncthreads();

#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        unsigned d = digit_of(keys[i], shift);
        sorted[local_start[d] + warp_counts[warp][d] + ranks[i]] = keys[i];
    }
    __syncthreads();

    for (unsigned at = threadIdx.x; at < present; at += kThreads) {
        unsigned key = sorted[at];
        to[destination[digit_of(key, shift)] + at] = value_of(key);
    }
}

// Kept between calls and grown when needed: an allocation costs more than sorting a million keys.
struct Scratch {
    float* keys = nullptr;
    unsigned* counts = nullptr;
    unsigned* totals = nullptr;
    unsigned tiles = 0;

    void reserve(unsigned needed) {
        if (needed <= tiles) {
            return;
        }
        cudaFree(keys);
        cudaFree(counts);
        cudaFree(totals);
        tiles = needed;
        cudaMalloc(reinterpret_cast<void**>(&keys), size_t(tiles) * kTile * sizeof(float));
        cudaMalloc(reinterpret_cast<void**>(&counts), size_t(tiles) * kDigits * sizeof(unsigned));
        cudaMalloc(reinterpret_cast<void**>(&totals), kDigits * sizeof(unsigned));
    }
};

extern "C" void solve(float* data, int n) {
    static Scratch scratch;
    unsigned tiles = (unsigned(n) + kTile - 1) / kTile;
    scratch.reserve(tiles);
    float* from = data;
    float* to = scratch.keys;
    for (int shift = 0; shift < 32; shift += 8) {  // an even number of passes: the last one writes to data
        count_digits<<<tiles, kThreads>>>(from, scratch.counts, n, shift);
        scan_tiles<<<kDigits, kThreads>>>(scratch.counts, scratch.totals, tiles);
        move_keys<<<tiles, kThreads>>>(from, to, scratch.counts, scratch.totals, n, shift);
        float* next = from;
        from = to;
        to = next;
    }
}
