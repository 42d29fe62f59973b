// One thread per byte. Bound by memory bandwidth: a warp writes 32 neighbouring bytes at once.
#include <cuda_runtime.h>

__global__ void mirror(const unsigned char* image, unsigned char* mirrored, int height, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 3 * width && y < height) {
        size_t row = size_t(y) * width * 3;
        mirrored[row + i] = image[row + (width - 1 - i / 3) * 3 + i % 3];
    }
}

extern "C" void solve(const unsigned char* image, unsigned char* mirrored, int height, int width) {
    dim3 threads(64, 4);
    dim3 blocks((3 * width + 63) / 64, (height + 3) / 4);
    mirror<<<blocks, threads>>>(image, mirrored, height, width);
}
