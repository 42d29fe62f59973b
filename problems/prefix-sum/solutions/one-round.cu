// Wrong: one block scans the totals, one total for each thread. With more tiles than threads, the last totals stay what they
// are. Tiles of 2048 elements hide this in vectors of half a million elements and less, so a judge that only tries
// such vectors accepts it. Let the block loop over the totals, or scan them in several levels.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kItems = 8;
constexpr int kTile = kThreads * kItems;

// Returns the inclusive scan of `value` over the block, and in `total` the sum of all threads.
__device__ float scan_block(float value, float* total) {
    __shared__ float sums[kThreads / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int distance = 1; distance < 32; distance *= 2) {
        float before = __shfl_up_sync(~0u, value, distance);
        if (lane >= distance) {
            value += before;
        }
    }
    if (lane == 31) {
        sums[warp] = value;
    }
    __syncthreads();
    float before = 0.0f, all = 0.0f;
    for (int i = 0; i < kThreads / 32; ++i) {
        if (i < warp) {
            before += sums[i];
        }
        all += sums[i];
    }
    *total = all;
    return value + before;
}

__global__ void sum_tiles(const float* input, float* totals, int n) {
    size_t first = size_t(blockIdx.x) * kTile;
    float value = 0.0f, total;
    for (int k = 0; k < kItems; ++k) {
        size_t i = first + k * kThreads + threadIdx.x;
        if (i < n) {
            value += input[i];
        }
    }
    scan_block(value, &total);
    if (threadIdx.x == 0) {
        totals[blockIdx.x] = total;
    }
}

// A single block replaces each total by the sum of the totals before it.
__global__ void scan_totals(float* totals, int tiles) {
    int i = threadIdx.x;
    float value = i < tiles ? totals[i] : 0.0f, total;
    float inclusive = scan_block(value, &total);
    if (i < tiles) {
        totals[i] = inclusive - value;
    }
    // A loop over the other totals belongs here.
}

__global__ void scan_tiles(const float* input, const float* totals, float* output, int n) {
    size_t first = size_t(blockIdx.x) * kTile + threadIdx.x * kItems;
    float sums[kItems], sum = 0.0f, total;
    for (int k = 0; k < kItems; ++k) {
        if (first + k < n) {
            sum += input[first + k];
        }
        sums[k] = sum;
    }
    float before = totals[blockIdx.x] + scan_block(sum, &total) - sum;
    for (int k = 0; k < kItems; ++k) {
        if (first + k < n) {
            output[first + k] = before + sums[k];
        }
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    int tiles = (n - 1) / kTile + 1;
    float* totals = nullptr;
    cudaMalloc(&totals, tiles * sizeof(float));
    sum_tiles<<<tiles, kThreads>>>(input, totals, n);
    scan_totals<<<1, kThreads>>>(totals, tiles);
    scan_tiles<<<tiles, kThreads>>>(input, totals, output, n);
    cudaFree(totals);  // waits for the kernels
}
