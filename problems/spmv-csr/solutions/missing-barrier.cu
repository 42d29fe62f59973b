// Wrong: one block per row adds up in shared memory, and the steps of the tree have no barrier between them. Within one warp
// it often works; between warps a thread reads a sum that its neighbour has yet to write.
#include <cuda_runtime.h>

constexpr int kThreads = 128;

__global__ void multiply(const int* row_start, const int* column, const float* value, const float* x, float* y) {
    __shared__ float sums[kThreads];
    int row = blockIdx.x;
    float sum = 0.0f;
    for (int j = row_start[row] + threadIdx.x; j < row_start[row + 1]; j += kThreads) {
        sum += value[j] * x[column[j]];
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        y[row] = sums[0];
    }
}

extern "C" void solve(const int* row_start, const int* column, const float* value, const float* x, float* y, int rows,
                      int columns, int nnz) {
    multiply<<<rows, kThreads>>>(row_start, column, value, x, y);
}
