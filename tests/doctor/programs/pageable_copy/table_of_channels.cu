// problem: rgb-to-grayscale
#include <cuda_runtime.h>

__global__ void grayscale(const float* rgb, const float* weights, float* gray, int pixels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pixels) {
        float sum = 0.0f;
        for (int channel = 0; channel < 3; ++channel) {
            sum += weights[channel * 256 + i % 256] * rgb[3 * i + channel];
        }
        gray[i] = sum;
    }
}

extern "C" void solve(const float* rgb, float* gray, int rows, int cols) {
    float weights[3 * 256];
    for (int i = 0; i < 256; ++i) {
        weights[i] = 0.299f;
        weights[256 + i] = 0.587f;
        weights[512 + i] = 0.114f;
    }
    float* table;
    cudaMallocAsync(&table, sizeof weights, 0);
    cudaMemcpyAsync(table, weights, sizeof weights, cudaMemcpyHostToDevice, 0);  // doctor: pageable_copy
    grayscale<<<(rows * cols + 255) / 256, 256>>>(rgb, table, gray, rows * cols);
    cudaFreeAsync(table, 0);
}
