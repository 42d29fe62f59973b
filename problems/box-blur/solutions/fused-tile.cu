// One launch. A block converts its tile and a halo of `radius` pixels in shared memory, sums its rows, then its
// columns. Bound by memory: only halos are read twice. Pixels outside the image count as 0 in sums and not at all in
// the divisor.
#include <cuda_runtime.h>

constexpr int kTile = 32;
constexpr int kMostRadius = 7;
constexpr int kSide = kTile + 2 * kMostRadius;

__global__ void blur_tile(const unsigned char* image, float* grey, float* blur, int rows, int cols, int radius) {
    __shared__ float tile[kSide][kSide + 1];
    __shared__ float sums[kSide][kTile];
    int side = kTile + 2 * radius;
    int top = blockIdx.y * kTile - radius, left = blockIdx.x * kTile - radius;
    for (int y = threadIdx.y; y < side; y += blockDim.y) {
        for (int x = threadIdx.x; x < side; x += blockDim.x) {
            int row = top + y, col = left + x;
            float value = 0.0f;
            if (row >= 0 && row < rows && col >= 0 && col < cols) {
                size_t pixel = size_t(row) * cols + col;
                int red = image[3 * pixel], green = image[3 * pixel + 1], blue = image[3 * pixel + 2];
                value = (77 * red + 150 * green + 29 * blue) / 256.0f;
                if (y >= radius && y < radius + kTile && x >= radius && x < radius + kTile) {
                    grey[pixel] = value;
                }
            }
            tile[y][x] = value;
        }
    }
    __syncthreads();
    for (int y = threadIdx.y; y < side; y += blockDim.y) {
        float sum = 0.0f;
        for (int x = 0; x <= 2 * radius; ++x) {
            sum += tile[y][threadIdx.x + x];
        }
        sums[y][threadIdx.x] = sum;
    }
    __syncthreads();
    int col = left + radius + threadIdx.x;
    int wide = min(col + radius, cols - 1) - max(col - radius, 0) + 1;
    for (int y = threadIdx.y; y < kTile; y += blockDim.y) {
        int row = top + radius + y;
        if (row < rows && col < cols) {
            float sum = 0.0f;
            for (int down = 0; down <= 2 * radius; ++down) {
                sum += sums[y + down][threadIdx.x];
            }
            int high = min(row + radius, rows - 1) - max(row - radius, 0) + 1;
            blur[size_t(row) * cols + col] = sum / (high * wide);
        }
    }
}

extern "C" void solve(const unsigned char* image, float* grey, float* blur, int rows, int cols, int radius) {
    dim3 blocks((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
    blur_tile<<<blocks, dim3(kTile, 8)>>>(image, grey, blur, rows, cols, radius);
}
