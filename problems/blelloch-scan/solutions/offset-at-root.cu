// Sums first, scans afterwards: one kernel adds up each tile, the sums are scanned, and then each tile is scanned with
// the sum before it at the root of its tree instead of 0. The down-sweep carries it to all leaves. 12 bytes for each
// element instead of 16: x is read twice.
#include <cuda_runtime.h>

constexpr int kThreads = 512;
constexpr int kTile = 2 * kThreads;
constexpr unsigned kAll = 0xffffffffu;

// The cell of element i: an unused cell after every 32 spreads the elements of a level over the banks.
__device__ int cell(int i) { return i + i / 32; }

__global__ void sum_tiles(const float* x, float* totals, int n) {
    __shared__ float warps[kThreads / 32];
    int first = blockIdx.x * kTile;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < kTile && first + i < n; i += kThreads) {
        sum += x[first + i];
    }
    for (int bit = 16; bit > 0; bit /= 2) {
        sum += __shfl_xor_sync(kAll, sum, bit);
    }
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < kThreads / 32; ++warp) {
            sum += warps[warp];
        }
        totals[blockIdx.x] = sum;
    }
}

// Scans each tile, starting from `before` of the tile, or from 0 if it is null.
__global__ void scan_tiles(const float* x, float* y, const float* before, int n) {
    __shared__ float tree[kTile + kTile / 32];
    int first = blockIdx.x * kTile;
    for (int i = threadIdx.x; i < kTile; i += kThreads) {
        tree[cell(i)] = first + i < n ? x[first + i] : 0.0f;
    }
    int distance = 1;
    for (int nodes = kThreads; nodes > 1; nodes /= 2) {  // up to the children of the root: nothing reads its sum
        __syncthreads();
        if (threadIdx.x < nodes) {
            int right = 2 * distance * (threadIdx.x + 1) - 1;
            tree[cell(right)] += tree[cell(right - distance)];
        }
        distance *= 2;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        tree[cell(kTile - 1)] = before ? before[blockIdx.x] : 0.0f;
    }
    for (int nodes = 1; nodes <= kThreads; nodes *= 2) {
        __syncthreads();
        if (threadIdx.x < nodes) {
            int right = 2 * distance * (threadIdx.x + 1) - 1;
            float own = tree[cell(right)], left_sum = tree[cell(right - distance)];
            tree[cell(right - distance)] = own;
            tree[cell(right)] = own + left_sum;
        }
        distance /= 2;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kTile && first + i < n; i += kThreads) {
        y[first + i] = tree[cell(i)];
    }
}

static void scan(const float* x, float* y, int n) {
    int tiles = (n - 1) / kTile + 1;
    float* totals = nullptr;
    if (tiles > 1) {
        cudaMalloc(&totals, tiles * sizeof(float));
        sum_tiles<<<tiles, kThreads>>>(x, totals, n);
        scan(totals, totals, tiles);
    }
    scan_tiles<<<tiles, kThreads>>>(x, y, totals, n);
    cudaFree(totals);
}

extern "C" void solve(const float* x, float* y, int n) { scan(x, y, n); }
