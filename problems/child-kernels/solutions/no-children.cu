// Misses a requirement: a warp sums every row, long ones too, and nothing is launched from the device. One warp then
// reads hundreds of thousands of entries alone, and the launch waits for it while the rest of the GPU is idle.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

// One warp per row.
__global__ void sum_rows(const int* start, const float* value, float* sum, int rows) {
    int row = (blockIdx.x * kThreads + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }
    int first = start[row], count = start[row + 1] - first;
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
