// Each thread takes 16 consecutive entries, whatever rows they belong to. A binary search finds the first row, and the sum
// of each row, or of the part of it that lies in the share, is added to y atomically.
//
// What bounds it: DRAM bandwidth and the gather of x. No row is too long, because rows are not the unit of work. The
// products go through shared memory, so that the loads are coalesced.
#include <cuda_runtime.h>

constexpr int kThreads = 128;
constexpr int kShare = 16;
constexpr int kTile = kThreads * kShare;

__global__ void multiply(const int* row_start, const int* column, const float* value, const float* x, float* y,
                         int rows, int nnz) {
    __shared__ float products[kTile + kThreads];  // one slot of padding per share: no bank conflicts
    int first = blockIdx.x * kTile;
    for (int i = threadIdx.x; i < kTile; i += kThreads) {
        int j = first + i;
        products[i + i / kShare] = j < nnz ? value[j] * x[column[j]] : 0.0f;
    }
    __syncthreads();

    int j = first + threadIdx.x * kShare;
    int stop = j + kShare < nnz ? j + kShare : nnz;
    if (j >= stop) {
        return;
    }
    int row = 0, above = rows;  // the last row that starts at or before entry j: empty rows before it are skipped
    while (above - row > 1) {
        int middle = row + (above - row) / 2;
        if (row_start[middle] <= j) {
            row = middle;
        } else {
            above = middle;
        }
    }
    const float* own = products + threadIdx.x * (kShare + 1) - j;
    while (j < stop) {
        int end = row_start[row + 1] < stop ? row_start[row + 1] : stop;
        if (j < end) {
            float sum = 0.0f;
            for (; j < end; ++j) {
                sum += own[j];
            }
            atomicAdd(y + row, sum);
        }
        ++row;
    }
}

extern "C" void solve(const int* row_start, const int* column, const float* value, const float* x, float* y, int rows,
                      int columns, int nnz) {
    cudaMemsetAsync(y, 0, rows * sizeof(float));
    multiply<<<(nnz + kTile - 1) / kTile, kThreads>>>(row_start, column, value, x, y, rows, nnz);
}
