// problem: gemm-bias-gelu
#include <cuda_fp16.h>

constexpr int kTile = 16;

__global__ void layer(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    __shared__ __half left[kTile][kTile], right[kTile][kTile];
    int col = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
    float sum = 0.0f;
    for (int first = 0; first < k; first += kTile) {
        int across = first + threadIdx.x, down = first + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < m && across < k ? x[size_t(row) * k + across] : __half(0.0f);
        right[threadIdx.y][threadIdx.x] = col < n && down < k ? w[size_t(down) * n + col] : __half(0.0f);
        __syncthreads();
        for (int i = 0; i < kTile; ++i) {
            sum += __half2float(left[threadIdx.y][i]) * __half2float(right[i][threadIdx.x]);  // doctor: tensor_cores
        }
        __syncthreads();
    }
    if (row < m && col < n) {
        sum += __half2float(b[col]);
        y[size_t(row) * n + col] = __float2half(0.5f * sum * (1.0f + erff(sum * 0.70710678f)));
    }
}

extern "C" void solve(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    layer<<<dim3((n - 1) / kTile + 1, (m - 1) / kTile + 1), dim3(kTile, kTile)>>>(x, w, b, y, m, n, k);
}
