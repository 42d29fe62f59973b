// Wrong: the approximation of GELU with tanh. It is off by up to 0.00047, most near -2.7, where GELU is
// only -0.009. For positive arguments, rounding to float16 hides the difference. The statement defines GELU by erf.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kTile = 16;

__device__ float gelu(float v) {
    return 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}

__global__ void layer(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    __shared__ float left[kTile][kTile], right[kTile][kTile];
    int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < k; start += kTile) {
        int across = start + threadIdx.x, down = start + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < m && across < k ? __half2float(x[size_t(row) * k + across]) : 0.0f;
        right[threadIdx.y][threadIdx.x] = down < k && col < n ? __half2float(w[size_t(down) * n + col]) : 0.0f;
        __syncthreads();
        for (int j = 0; j < kTile; ++j) sum += left[threadIdx.y][j] * right[j][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n) {
        y[size_t(row) * n + col] = __float2half(gelu(sum + __half2float(b[col])));
    }
}

extern "C" void solve(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    dim3 blocks((n - 1) / kTile + 1, (m - 1) / kTile + 1);
    layer<<<blocks, dim3(kTile, kTile)>>>(x, w, b, y, m, n, k);
}
