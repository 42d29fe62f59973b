// Wrong: adds the parts right after the launch of the child that writes them. A launch does not wait, and no thread of
// a parent can wait for a child. Let a second child in the same stream add the parts, or a tail launch.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kLong = 1024;      // entries of the longest row that is summed without a child

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

// The child: the sum of each stretch of kLong entries.
__global__ void sum_parts(const float* value, int count, float* parts) {
    int first = blockIdx.x * kLong, end = min(first + kLong, count);
    float mine = 0.0f;
    for (int i = first + threadIdx.x; i < end; i += kThreads) {
        mine += value[i];
    }
    float whole = block_sum(mine);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = whole;
    }
}

// The parent: one thread per row.
__global__ void sum_rows(const int* start, const float* value, float* sum, float* parts, int rows) {
    int row = blockIdx.x * kThreads + threadIdx.x;
    if (row >= rows) {
        return;
    }
    int first = start[row], count = start[row + 1] - first;
    if (count > kLong) {
        // A row of n > kLong entries has at most 2 n / kLong stretches, so the parts of two rows do not overlap.
        float* own = parts + 2ll * first / kLong;
        int stretches = (count + kLong - 1) / kLong;
        sum_parts<<<stretches, kThreads>>>(value + first, count, own);
        float whole = 0.0f;
        for (int i = 0; i < stretches; ++i) {
            whole += own[i];
        }
        sum[row] = whole;
        return;
    }
    float whole = 0.0f;
    for (int i = 0; i < count; ++i) {
        whole += value[first + i];
    }
    sum[row] = whole;
}

extern "C" void solve(const int* start, const float* value, float* sum, int rows, int nnz) {
    float* parts;
    cudaMallocAsync(&parts, (2ll * nnz / kLong + 2) * sizeof(float), 0);
    sum_rows<<<(rows + kThreads - 1) / kThreads, kThreads>>>(start, value, sum, parts, rows);
    cudaFreeAsync(parts, 0);
}
