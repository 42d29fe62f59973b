// Blocks scan 512 elements each, their totals are scanned by the same function, and the totals are added.
// Bound by memory traffic: the output is written, read and written again, 16 bytes per element.
#include <cuda_runtime.h>

constexpr int kThreads = 512;

// Hillis and Steele. `totals` may be null when there is a single block.
__global__ void scan_blocks(const float* input, float* output, float* totals, int n) {
    __shared__ float sums[kThreads];
    size_t i = size_t(blockIdx.x) * kThreads + threadIdx.x;
    sums[threadIdx.x] = i < n ? input[i] : 0.0f;
    __syncthreads();
    for (int distance = 1; distance < kThreads; distance *= 2) {
        float before = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0.0f;
        __syncthreads();  // all threads have read
        sums[threadIdx.x] += before;
        __syncthreads();  // all threads have written
    }
    if (i < n) {
        output[i] = sums[threadIdx.x];
    }
    if (totals && threadIdx.x == kThreads - 1) {
        totals[blockIdx.x] = sums[threadIdx.x];
    }
}

// Block b + 1 gets the total of blocks 0 to b.
__global__ void add_totals(float* output, const float* totals, int n) {
    size_t i = size_t(blockIdx.x + 1) * kThreads + threadIdx.x;
    if (i < n) {
        output[i] += totals[blockIdx.x];
    }
}

static void scan(const float* input, float* output, int n) {
    int blocks = (n - 1) / kThreads + 1;
    if (blocks == 1) {
        scan_blocks<<<1, kThreads>>>(input, output, nullptr, n);
        return;
    }
    float* totals = nullptr;
    cudaMalloc(&totals, 2 * size_t(blocks) * sizeof(float));
    scan_blocks<<<blocks, kThreads>>>(input, output, totals, n);
    scan(totals, totals + blocks, blocks);
    add_totals<<<blocks - 1, kThreads>>>(output, totals + blocks, n);
    cudaFree(totals);  // waits for the kernels
}

extern "C" void solve(const float* input, float* output, int n) {
    scan(input, output, n);
}
