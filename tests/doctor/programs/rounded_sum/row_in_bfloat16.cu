// problem: warp-rows
#include <cuda_bf16.h>

__global__ void rows_of_threads(const float* x, float* sum, int* arg, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    const float* in = x + size_t(row) * cols;
    __nv_bfloat16 total = __float2bfloat16(0.0f);
    int best = 0;
    for (int col = 0; col < cols; ++col) {
        total = __hadd(total, __float2bfloat16(in[col]));  // doctor: rounded_sum
        if (in[col] > in[best]) {
            best = col;
        }
    }
    sum[row] = __bfloat162float(total);
    arg[row] = best;
}

extern "C" void solve(const float* x, float* sum, int* arg, int rows, int cols) {
    rows_of_threads<<<(rows + 63) / 64, 64>>>(x, sum, arg, rows, cols);
}
