// Too slow: a single thread, which reads the whole image again for every pixel.
#include <cuda_runtime.h>

__global__ void grayscale(const volatile float* rgb, float* gray, int pixels) {
    for (int wanted = 0; wanted < pixels; ++wanted) {
        for (int pixel = 0; pixel < pixels; ++pixel) {
            float r = rgb[3 * pixel];  // volatile, or the compiler would skip to the wanted pixel
            float g = rgb[3 * pixel + 1];
            float b = rgb[3 * pixel + 2];
            if (pixel == wanted) {
                gray[pixel] = 0.299f * r + 0.587f * g + 0.114f * b;
            }
        }
    }
}

extern "C" void solve(const float* rgb, float* gray, int rows, int cols) {
    grayscale<<<1, 1>>>(rgb, gray, rows * cols);
}
