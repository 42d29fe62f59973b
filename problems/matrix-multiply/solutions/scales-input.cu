// Breaks a rule: the product is right, but A is doubled in place first and C halved afterwards.
// Inputs belong to the caller and must come back as they were.
#include <cuda_runtime.h>

__global__ void scale(float* values, float factor, size_t count) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) {
        values[i] *= factor;
    }
}

__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m && col < k) {
        float sum = 0.0f;
        for (int i = 0; i < n; ++i) {
            sum += a[size_t(row) * n + i] * b[size_t(i) * k + col];
        }
        c[size_t(row) * k + col] = 0.5f * sum;
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    size_t count = size_t(m) * n;
    dim3 threads(16, 16);
    dim3 blocks((k + 15) / 16, (m + 15) / 16);
    scale<<<static_cast<unsigned>((count + 255) / 256), 256>>>(const_cast<float*>(a), 2.0f, count);
    multiply<<<blocks, threads>>>(a, b, c, m, n, k);
}
