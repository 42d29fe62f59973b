// Wrong: the columns are guarded and the rows are not. The last blocks have rows of threads below the image, which
// read and write past the end of the arrays. Images whose height is a multiple of 16 hide it.
#include <cuda_runtime.h>

__global__ void convert(const unsigned char* image, float* grey, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col < cols) {
        int pixel = row * cols + col;
        int red = image[3 * pixel], green = image[3 * pixel + 1], blue = image[3 * pixel + 2];
        grey[pixel] = (77 * red + 150 * green + 29 * blue) / 256.0f;
    }
}

__global__ void average(const float* grey, float* blur, int rows, int cols, int radius) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= cols) {
        return;
    }
    int top = max(row - radius, 0), bottom = min(row + radius, rows - 1);
    int left = max(col - radius, 0), right = min(col + radius, cols - 1);
    float sum = 0.0f;
    for (int y = top; y <= bottom; ++y) {
        for (int x = left; x <= right; ++x) {
            sum += grey[y * cols + x];
        }
    }
    blur[row * cols + col] = sum / ((bottom - top + 1) * (right - left + 1));
}

extern "C" void solve(const unsigned char* image, float* grey, float* blur, int rows, int cols, int radius) {
    dim3 threads(16, 16);
    dim3 blocks((cols + 15) / 16, (rows + 15) / 16);
    convert<<<blocks, threads>>>(image, grey, rows, cols);
    average<<<blocks, threads>>>(grey, blur, rows, cols, radius);
}
