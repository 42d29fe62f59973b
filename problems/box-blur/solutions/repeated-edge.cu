// Wrong: coordinates outside the image are clamped to its edge, so pixels of the edge count several times. Image
// libraries offer this border, but the window of this task ends at the image.
#include <cuda_runtime.h>

__global__ void convert(const unsigned char* image, float* grey, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        int pixel = row * cols + col;
        int red = image[3 * pixel], green = image[3 * pixel + 1], blue = image[3 * pixel + 2];
        grey[pixel] = (77 * red + 150 * green + 29 * blue) / 256.0f;
    }
}

__global__ void average(const float* grey, float* blur, int rows, int cols, int radius) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols) {
        return;
    }
    float sum = 0.0f;
    for (int down = -radius; down <= radius; ++down) {
        for (int across = -radius; across <= radius; ++across) {
            int y = min(max(row + down, 0), rows - 1);
            int x = min(max(col + across, 0), cols - 1);
            sum += grey[y * cols + x];
        }
    }
    blur[row * cols + col] = sum / ((2 * radius + 1) * (2 * radius + 1));
}

extern "C" void solve(const unsigned char* image, float* grey, float* blur, int rows, int cols, int radius) {
    dim3 threads(16, 16);
    dim3 blocks((cols + 15) / 16, (rows + 15) / 16);
    convert<<<blocks, threads>>>(image, grey, rows, cols);
    average<<<blocks, threads>>>(grey, blur, rows, cols, radius);
}
