// problem: rgb-to-grayscale
#include <cuda_runtime.h>

__global__ void grayscale(const float* rgb, float* gray, int pixels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pixels) {
        gray[i] = 0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2];
    }
}

// Four strips of the image.
extern "C" void solve(const float* rgb, float* gray, int rows, int cols) {
    int pixels = rows * cols, strip = (pixels + 3) / 4;
    for (int first = 0; first < pixels; first += strip) {
        int count = min(strip, pixels - first);
        grayscale<<<(count + 255) / 256, 256>>>(rgb + 3 * first, gray + first, count);
        cudaDeviceSynchronize();  // doctor: needless_wait
    }
}
