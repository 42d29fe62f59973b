// Right, but a second kernel adds the bias and applies GELU. Between the two, the product makes a way to memory and back: 8 bytes per
// element in float32, more than the inputs and outputs together. The sums were in registers just before.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kTile = 16;

__device__ float gelu(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678f)); }

__global__ void multiply(const __half* x, const __half* w, float* product, int m, int n, int k) {
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
        product[size_t(row) * n + col] = sum;
    }
}

__global__ void finish(const float* product, const __half* b, __half* y, int m, int n) {
    size_t i = blockIdx.x * size_t(256) + threadIdx.x;
    if (i < size_t(m) * n) y[i] = __float2half(gelu(product[i] + __half2float(b[i % n])));
}

extern "C" void solve(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    float* product;
    cudaMallocAsync(&product, size_t(m) * n * sizeof(float), 0);
    dim3 blocks((n - 1) / kTile + 1, (m - 1) / kTile + 1);
    multiply<<<blocks, dim3(kTile, kTile)>>>(x, w, product, m, n, k);
    finish<<<(size_t(m) * n - 1) / 256 + 1, 256>>>(product, b, y, m, n);
    cudaFreeAsync(product, 0);
}
