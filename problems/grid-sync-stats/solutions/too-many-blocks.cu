// Wrong: a thread for each element. A cooperative launch needs all blocks on the GPU at once, so this one fails as soon as the vector is
// long enough. Limit the grid to the resident blocks, and let each thread visit several elements.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kMostBlocks = 4096;

__device__ float sums[kMostBlocks];     // of elements, one for each block
__device__ float squares[kMostBlocks];  // of deviations

// The sum of the values of all threads of a block, in each thread.
__device__ float block_sum(float value) {
    __shared__ float of_warp[kThreads / 32];
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
    __syncthreads();  // the previous sum has been read
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    float sum = 0.0f;
    for (int warp = 0; warp < kThreads / 32; ++warp) sum += of_warp[warp];
    return sum;
}

// The sum of one value for each block of the grid, in each thread.
__device__ float grid_sum(const float* parts) {
    float sum = 0.0f;
    for (int i = threadIdx.x; i < gridDim.x; i += kThreads) sum += parts[i];
    return block_sum(sum);
}

__global__ void statistics(const float* x, float* stats, int n) {
    auto grid = cooperative_groups::this_grid();
    float sum = 0.0f;
    for (long long i = grid.thread_rank(); i < n; i += grid.size()) sum += x[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
    grid.sync();
    float mean = grid_sum(sums) / n;  // each block adds the parts up itself

    float square = 0.0f;
    for (long long i = grid.thread_rank(); i < n; i += grid.size()) square += (x[i] - mean) * (x[i] - mean);
    square = block_sum(square);
    if (threadIdx.x == 0) squares[blockIdx.x] = square;
    grid.sync();
    if (blockIdx.x == 0) {
        square = grid_sum(squares);
        if (threadIdx.x == 0) {
            stats[0] = mean;
            stats[1] = square / n;
        }
    }
}

extern "C" void solve(const float* x, float* stats, int n) {
    int blocks = (n - 1) / kThreads + 1;
    void* arguments[] = {&x, &stats, &n};
    cudaLaunchCooperativeKernel((void*)statistics, dim3(blocks), dim3(kThreads), arguments, 0, 0);
}
