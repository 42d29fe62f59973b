// Loads four columns at a time if rows are aligned to 16 bytes, and lets eight lanes share a row if it has at most
// eight loads. A butterfly over distances below eight stays inside each group of eight lanes. Bound by bandwidth.
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

template <int kLanes, int kWidth>  // lanes for a row; columns in a load
__global__ void warp_rows(const float* x, float* sum, int* arg, int rows, int cols) {
    int row = (blockIdx.x * kThreads + threadIdx.x) / kLanes;
    int lane = threadIdx.x % kLanes;
    bool inside = row < rows;  // a warp may have rows on both sides of the end, so all of its lanes stay
    const float* in = x + size_t(inside ? row : 0) * cols;

    float total = 0.0f;
    Best best = {-INFINITY, cols};
    for (int col = kWidth * lane; inside && col < cols; col += kWidth * kLanes) {
        float values[kWidth];
        if constexpr (kWidth == 4) {
            float4 four = *reinterpret_cast<const float4*>(in + col);
            values[0] = four.x, values[1] = four.y, values[2] = four.z, values[3] = four.w;
        } else {
            values[0] = in[col];
        }
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
            total += values[k];
            if (values[k] > best.value) best = {values[k], col + k};
        }
    }
    for (int bit = kLanes / 2; bit > 0; bit /= 2) {
        total += __shfl_xor_sync(kAll, total, bit);
        float value = __shfl_xor_sync(kAll, best.value, bit);
        int index = __shfl_xor_sync(kAll, best.index, bit);
        if (beats(value, index, best)) best = {value, index};
    }
    if (inside && lane == 0) {
        sum[row] = total;
        arg[row] = best.index;
    }
}

template <int kWidth>
static void launch(const float* x, float* sum, int* arg, int rows, int cols) {
    if (cols <= 8 * kWidth) {
        warp_rows<8, kWidth><<<(rows - 1) / (kThreads / 8) + 1, kThreads>>>(x, sum, arg, rows, cols);
    } else {
        warp_rows<32, kWidth><<<(rows - 1) / (kThreads / 32) + 1, kThreads>>>(x, sum, arg, rows, cols);
    }
}

extern "C" void solve(const float* x, float* sum, int* arg, int rows, int cols) {
    if (cols % 4 == 0) {
        launch<4>(x, sum, arg, rows, cols);
    } else {
        launch<1>(x, sum, arg, rows, cols);
    }
}
