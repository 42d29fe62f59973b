// Since compute capability 8.0, a warp reduces integers in one instruction. Two of them replace ten shuffles: the
// greatest value, as bits in integer order, then the smallest index among the lanes that have it. Sums of floats still
// need five shuffles.
#include <cuda_runtime.h>

constexpr int kThreads = 256;  // eight warps
constexpr unsigned kAll = 0xffffffffu;

struct Best {
    float value;
    int index;
};

// The bits of `value` as an integer that has the same order: those of negative numbers are reversed.
__device__ unsigned ordered(float value) {
    unsigned bits = __float_as_uint(value);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__device__ unsigned warp_max(unsigned value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(kAll, value);
#else
    for (int bit = 16; bit > 0; bit /= 2) {
        value = max(value, __shfl_xor_sync(kAll, value, bit));
    }
    return value;
#endif
}

__global__ void warp_rows(const float* x, float* sum, int* arg, int rows, int cols) {
    int row = (blockIdx.x * kThreads + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;  // the whole warp
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
    }
    unsigned own = ordered(best.value);
    unsigned most = warp_max(own);
    // The smallest index has the greatest complement. Lanes with a smaller value offer 0, below every complement.
    unsigned first = ~warp_max(own == most ? ~unsigned(best.index) : 0);
    if (lane == 0) {
        sum[row] = total;
        arg[row] = static_cast<int>(first);
    }
}

extern "C" void solve(const float* x, float* sum, int* arg, int rows, int cols) {
    constexpr int kWarps = kThreads / 32;
    warp_rows<<<(rows - 1) / kWarps + 1, kThreads>>>(x, sum, arg, rows, cols);
}
