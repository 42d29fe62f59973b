// One warp per row, so that loads coalesce in short rows too. Lane 0 launches a child for a long row. No child waits
// for another one, so they are launched with fire-and-forget: children in the default stream of a block would run one
// after the other.
//
// What bounds it: DRAM bandwidth for long rows, idle lanes and launches of warps for rows of a few entries.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kLong = 1024;      // entries of the longest row that is summed without a child
constexpr int kPerBlock = 4096;  // entries of a long row for each block of its child

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

// The parent: one warp per row.
__global__ void sum_rows(const int* start, const float* value, float* sum, int rows) {
    int row = (blockIdx.x * kThreads + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }
    int first = start[row], count = start[row + 1] - first;
    if (count > kLong) {
        if (lane == 0) {
            sum[row] = 0.0f;
            sum_long<<<(count + kPerBlock - 1) / kPerBlock, kThreads, 0, cudaStreamFireAndForget>>>(value + first, count,
                                                                                                   &sum[row]);
        }
        return;
    }
    float whole = 0.0f;
    for (int i = lane; i < count; i += 32) {
        whole += value[first + i];
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        whole += __shfl_down_sync(0xffffffffu, whole, offset);
    }
    if (lane == 0) {
        sum[row] = whole;
    }
}

extern "C" void solve(const int* start, const float* value, float* sum, int rows, int nnz) {
    int rows_per_block = kThreads / 32;
    sum_rows<<<(rows + rows_per_block - 1) / rows_per_block, kThreads>>>(start, value, sum, rows);
}
