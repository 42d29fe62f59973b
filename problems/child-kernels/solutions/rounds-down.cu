// Wrong: rounds the number of blocks down. The last entries of a row get no block, unless its length is a multiple of
// what a block sums.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kLong = 1024;      // entries of the longest row that is summed without a child
constexpr int kPerBlock = 1024;  // entries of a long row for each block of its child

// The sum of one number per thread, for thread 0.
__device__ float block_sum(float sum) {
    __shared__ float parts[kThreads / 32];
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    }
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    sum = 0.0f;
    if (threadIdx.x == 0) {
        for (int warp = 0; warp < kThreads / 32; ++warp) {
            sum += parts[warp];
        }
    }
    return sum;
}

// A child: each block sums kPerBlock entries of the row and adds the result.
__global__ void sum_long(const float* value, int count, float* sum) {
    int first = blockIdx.x * kPerBlock, end = min(first + kPerBlock, count);
    float mine = 0.0f;
    for (int i = first + threadIdx.x; i < end; i += kThreads) {
        mine += value[i];
    }
    float whole = block_sum(mine);
    if (threadIdx.x == 0) {
        atomicAdd(sum, whole);
    }
}

// The parent: one thread per row.
__global__ void sum_rows(const int* start, const float* value, float* sum, int rows) {
    int row = blockIdx.x * kThreads + threadIdx.x;
    if (row >= rows) {
        return;
    }
    int first = start[row], count = start[row + 1] - first;
    if (count > kLong) {
        sum[row] = 0.0f;  // before the launch, so the child sees it
        sum_long<<<count / kPerBlock, kThreads>>>(value + first, count, &sum[row]);
        return;
    }
    float whole = 0.0f;
    for (int i = 0; i < count; ++i) {
        whole += value[first + i];
    }
    sum[row] = whole;
}

extern "C" void solve(const int* start, const float* value, float* sum, int rows, int nnz) {
    sum_rows<<<(rows + kThreads - 1) / kThreads, kThreads>>>(start, value, sum, rows);
}
