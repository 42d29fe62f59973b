// Shuffles downwards: lane l receives from lanes l + 16, l + 8 and so on, so only lane 0 ends with the result of all.
// A fixed grid strides over the rows, so millions of rows do not need millions of warps to start. Bound by bandwidth.
#include <cuda_runtime.h>

constexpr int kThreads = 256;  // eight warps
constexpr unsigned kAll = 0xffffffffu;

struct Best {
    float value;
    int index;
};

__device__ bool beats(float value, int index, Best other) {
    return value > other.value || (value == other.value && index < other.index);
}

__global__ void warp_rows(const float* x, float* sum, int* arg, int rows, int cols) {
    int lane = threadIdx.x % 32;
    int warps = gridDim.x * (kThreads / 32);
    for (int row = (blockIdx.x * kThreads + threadIdx.x) / 32; row < rows; row += warps) {
        const float* in = x + size_t(row) * cols;
        float total = 0.0f;
        Best best = {-INFINITY, cols};
        for (int col = lane; col < cols; col += 32) {
            float value = in[col];
            total += value;
            if (value > best.value) best = {value, col};
        }
        for (int distance = 16; distance > 0; distance /= 2) {  // lanes without a column take part too
            total += __shfl_down_sync(kAll, total, distance);
            float value = __shfl_down_sync(kAll, best.value, distance);
            int index = __shfl_down_sync(kAll, best.index, distance);
            if (beats(value, index, best)) best = {value, index};
        }
        if (lane == 0) {
            sum[row] = total;
            arg[row] = best.index;
        }
    }
}

extern "C" void solve(const float* x, float* sum, int* arg, int rows, int cols) {
    int blocks = (rows - 1) / (kThreads / 32) + 1;
    warp_rows<<<min(blocks, 2048), kThreads>>>(x, sum, arg, rows, cols);
}
