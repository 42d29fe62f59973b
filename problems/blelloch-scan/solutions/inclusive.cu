// Wrong: an inclusive scan. Each output contains its own element, so it is the position after
// the element, not the position of the element. The exclusive scan begins with 0 and leaves each element out of its own sum.
#include <cuda_runtime.h>

constexpr int kThreads = 512;
constexpr int kTile = 2 * kThreads;

// Scans each tile by itself, and stores the totals of the tiles unless `totals` is null.
__global__ void scan_tiles(const float* x, float* y, float* totals, int n) {
    __shared__ float tree[kTile];
    int first = blockIdx.x * kTile;
    for (int i = threadIdx.x; i < kTile; i += kThreads) {
        tree[i] = first + i < n ? x[first + i] : 0.0f;
    }
    int distance = 1;
    for (int nodes = kThreads; nodes > 0; nodes /= 2) {  // up: each node becomes the sum of its two children
        __syncthreads();
        if (threadIdx.x < nodes) {
            int right = 2 * distance * (threadIdx.x + 1) - 1;
            tree[right] += tree[right - distance];
        }
        distance *= 2;
    }
    if (threadIdx.x == 0) {  // this thread has written the root
        if (totals) totals[blockIdx.x] = tree[kTile - 1];
        tree[kTile - 1] = 0.0f;
    }
    for (int nodes = 1; nodes <= kThreads; nodes *= 2) {  // down: each node gets the sum before its range
        distance /= 2;
        __syncthreads();
        if (threadIdx.x < nodes) {
            int right = 2 * distance * (threadIdx.x + 1) - 1;
            float own = tree[right], left_sum = tree[right - distance];
            tree[right - distance] = own;
            tree[right] = own + left_sum;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kTile && first + i < n; i += kThreads) {
        y[first + i] = tree[i] + x[first + i];
    }
}

// Adds the sum before tile b + 1 to its elements. Nothing comes before tile 0.
__global__ void add_totals(float* y, const float* totals, int n) {
    int tile = blockIdx.x + 1;
    float before = totals[tile];
    for (int i = tile * kTile + threadIdx.x; i < min((tile + 1) * kTile, n); i += kThreads) {
        y[i] += before;
    }
}

// `x` and `y` may be the same array: a block has read its tile before it writes it.
static void scan(const float* x, float* y, int n) {
    int tiles = (n - 1) / kTile + 1;
    if (tiles == 1) {
        scan_tiles<<<1, kThreads>>>(x, y, nullptr, n);
        return;
    }
    float* totals = nullptr;
    cudaMalloc(&totals, tiles * sizeof(float));
    scan_tiles<<<tiles, kThreads>>>(x, y, totals, n);
    scan(totals, totals, tiles);
    add_totals<<<tiles - 1, kThreads>>>(y, totals, n);
    cudaFree(totals);
}

extern "C" void solve(const float* x, float* y, int n) { scan(x, y, n); }
