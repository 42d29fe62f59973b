// One key of 64 bits for value and index: the bits of the value in an order that integers share, then the inverted
// index. The greatest key is the greatest value, and among equal ones the smallest index. No comparison can treat ties
// wrongly.
#include <cuda_runtime.h>

constexpr int kThreads = 256;  // eight warps
constexpr unsigned kAll = 0xffffffffu;

using Key = unsigned long long;

// The bits of `value` as an integer that has the same order: those of negative numbers are reversed.
__device__ unsigned ordered(float value) {
    unsigned bits = __float_as_uint(value);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__device__ Key key_of(float value, int index) { return Key(ordered(value)) << 32 | ~unsigned(index); }

__global__ void warp_rows(const float* x, float* sum, int* arg, int rows, int cols) {
    int row = (blockIdx.x * kThreads + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;  // the whole warp
    const float* in = x + size_t(row) * cols;

    float total = 0.0f;
    Key best = 0;  // neutral: below the key of every number
    for (int col = lane; col < cols; col += 32) {
        float value = in[col];
        total += value;
        best = max(best, key_of(value, col));
    }
    for (int bit = 16; bit > 0; bit /= 2) {
        total += __shfl_xor_sync(kAll, total, bit);
        best = max(best, __shfl_xor_sync(kAll, best, bit));  // 64 bits: two shuffles
    }
    if (lane == 0) {
        sum[row] = total;
        arg[row] = static_cast<int>(~unsigned(best));
    }
}

extern "C" void solve(const float* x, float* sum, int* arg, int rows, int cols) {
    constexpr int kWarps = kThreads / 32;
    warp_rows<<<(rows - 1) / kWarps + 1, kThreads>>>(x, sum, arg, rows, cols);
}
