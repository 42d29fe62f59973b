// A thread computes 4 x 4 elements that are 16 rows and 16 columns apart, so eight loads from shared memory serve 16 multiplications. Its
// epilogue loads the biases of four columns once and uses each for four rows.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kSide = 16;           // threads of a block in each direction
constexpr int kEach = 4;            // rows and columns of a thread
constexpr int kTile = kSide * kEach;
constexpr int kStep = 16;           // along k

__device__ float gelu(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678f)); }

__global__ void layer(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    __shared__ float left[kTile][kStep + 1], right[kStep][kTile];
    int top = blockIdx.y * kTile, edge = blockIdx.x * kTile;
    int thread = threadIdx.y * kSide + threadIdx.x;
    float sums[kEach][kEach] = {};
    for (int start = 0; start < k; start += kStep) {
        for (int at = thread; at < kTile * kStep; at += kSide * kSide) {
            int row = top + at / kStep, across = start + at % kStep;
            left[at / kStep][at % kStep] = row < m && across < k ? __half2float(x[size_t(row) * k + across]) : 0.0f;
            int down = start + at / kTile, col = edge + at % kTile;
            right[at / kTile][at % kTile] = down < k && col < n ? __half2float(w[size_t(down) * n + col]) : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < kStep; ++j) {
            float of_rows[kEach], of_cols[kEach];
#pragma unroll
            for (int i = 0; i < kEach; ++i) {
                of_rows[i] = left[threadIdx.y + i * kSide][j];
                of_cols[i] = right[j][threadIdx.x + i * kSide];
            }
#pragma unroll
            for (int r = 0; r < kEach; ++r) {
#pragma unroll
                for (int c = 0; c < kEach; ++c) sums[r][c] += of_rows[r] * of_cols[c];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int c = 0; c < kEach; ++c) {
        int col = edge + threadIdx.x + c * kSide;
        if (col >= n) continue;
        float bias = __half2float(b[col]);
#pragma unroll
        for (int r = 0; r < kEach; ++r) {
            int row = top + threadIdx.y + r * kSide;
            if (row < m) y[size_t(row) * n + col] = __float2half(gelu(sums[r][c] + bias));
        }
    }
}

extern "C" void solve(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    dim3 blocks((n - 1) / kTile + 1, (m - 1) / kTile + 1);
    layer<<<blocks, dim3(kSide, kSide)>>>(x, w, b, y, m, n, k);
}
