// Wrong unless the image is square: a row has cols pixels, not rows. The check against the number of pixels
// keeps it in bounds, which hides the mistake until a user looks at the picture.
#include <cuda_runtime.h>

__global__ void grayscale(const float* rgb, float* gray, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int pixel = row * rows + col;
    if (row < rows && col < cols && pixel < rows * cols) {
        gray[pixel] = 0.299f * rgb[3 * pixel] + 0.587f * rgb[3 * pixel + 1] + 0.114f * rgb[3 * pixel + 2];
    }
}

extern "C" void solve(const float* rgb, float* gray, int rows, int cols) {
    dim3 threads(16, 16);
    dim3 blocks((cols + 15) / 16, (rows + 15) / 16);
    grayscale<<<blocks, threads>>>(rgb, gray, rows, cols);
}
