// Wrong: launches the reader of the list as an ordinary child. It may start while other blocks of the parent still add
// rows to the list, and before the sums of these rows are set to zero. A tail launch runs after all blocks of the
// parent.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kLong = 1024;  // entries of the longest row that is summed without a child
constexpr int kBlocksPerRow = 64;

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

// The grandchildren: a column of blocks for each long row, whose blocks add their parts.
__global__ void sum_listed(const int* start, const float* value, const int* list, float* sum) {
    int row = list[blockIdx.y], first = start[row], end = start[row + 1];
    float mine = 0.0f;
    for (int i = first + blockIdx.x * kThreads + threadIdx.x; i < end; i += gridDim.x * kThreads) {
        mine += value[i];
    }
    float whole = block_sum(mine);
    if (threadIdx.x == 0) {
        atomicAdd(&sum[row], whole);
    }
}

// Launches a grid for all rows of the list.
__global__ void launch_listed(const int* start, const float* value, const int* list, const int* listed, float* sum) {
    if (*listed > 0) {
        sum_listed<<<dim3(kBlocksPerRow, *listed), kThreads>>>(start, value, list, sum);
    }
}

// The parent: one thread per row. Long rows go to the list.
__global__ void sum_rows(const int* start, const float* value, float* sum, int* list, int* listed, int rows) {
    int row = blockIdx.x * kThreads + threadIdx.x;
    if (row == 0) {
        launch_listed<<<1, 1>>>(start, value, list, listed, sum);
    }
    if (row >= rows) {
        return;
    }
    int first = start[row], count = start[row + 1] - first;
    float whole = 0.0f;
    if (count > kLong) {
        list[atomicAdd(listed, 1)] = row;
    } else {
        for (int i = 0; i < count; ++i) {
            whole += value[first + i];
        }
    }
    sum[row] = whole;
}

extern "C" void solve(const int* start, const float* value, float* sum, int rows, int nnz) {
    int* list;  // its length, then the rows
    cudaMallocAsync(&list, (nnz / kLong + 1) * sizeof(int), 0);
    cudaMemsetAsync(list, 0, sizeof(int));
    sum_rows<<<(rows + kThreads - 1) / kThreads, kThreads>>>(start, value, sum, list + 1, list, rows);
    cudaFreeAsync(list, 0);
}
