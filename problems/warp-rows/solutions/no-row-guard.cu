// Wrong: the last block has eight warps but may have fewer rows. Its other warps read beyond the matrix and write
// beyond both outputs.
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
    int row = (blockIdx.x * kThreads + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    const float* in = x + size_t(row) * cols;

    float total = 0.0f;
    Best best = {-INFINITY, cols};  // neutral: every element beats it
    for (int col = lane; col < cols; col += 32) {
        float value = in[col];
        total += value;
        if (value > best.value) best = {value, col};  // the columns of a lane ascend, so the first one stays
    }
    for (int bit = 16; bit > 0; bit /= 2) {
        total += __shfl_xor_sync(kAll, total, bit);
        float value = __shfl_xor_sync(kAll, best.value, bit);
        int index = __shfl_xor_sync(kAll, best.index, bit);
        if (beats(value, index, best)) best = {value, index};
    }
    if (lane == 0) {
        sum[row] = total;
        arg[row] = best.index;
    }
}

extern "C" void solve(const float* x, float* sum, int* arg, int rows, int cols) {
    constexpr int kWarps = kThreads / 32;
    warp_rows<<<(rows - 1) / kWarps + 1, kThreads>>>(x, sum, arg, rows, cols);
}
