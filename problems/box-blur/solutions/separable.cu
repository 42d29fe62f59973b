// Sums along rows first, then running sums down the columns: two operations per pixel for any radius. Bound by
// memory: 8 bytes per pixel more than the least, for the row sums. A thread walks down 32 rows of its column, so that
// there are enough threads; neighbouring threads read neighbouring columns.
#include <cuda_runtime.h>

constexpr int kThreads = 128;
constexpr int kStrip = 32;

__global__ void convert(const unsigned char* image, float* grey, int pixels) {
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel < pixels) {
        int red = image[3 * pixel], green = image[3 * pixel + 1], blue = image[3 * pixel + 2];
        grey[pixel] = (77 * red + 150 * green + 29 * blue) / 256.0f;
    }
}

__global__ void sum_rows(const float* grey, float* sums, int cols, int radius) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        const float* row = grey + size_t(blockIdx.y) * cols;
        float sum = 0.0f;
        for (int x = max(col - radius, 0); x <= min(col + radius, cols - 1); ++x) {
            sum += row[x];
        }
        sums[size_t(blockIdx.y) * cols + col] = sum;
    }
}

__global__ void average(const float* sums, float* blur, int rows, int cols, int radius) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int first = blockIdx.y * kStrip;
    if (col >= cols) {
        return;
    }
    int wide = min(col + radius, cols - 1) - max(col - radius, 0) + 1;
    float sum = 0.0f;
    for (int y = max(first - radius, 0); y < min(first + radius, rows); ++y) {
        sum += sums[size_t(y) * cols + col];
    }
    for (int row = first; row < min(first + kStrip, rows); ++row) {
        if (row + radius < rows) {
            sum += sums[size_t(row + radius) * cols + col];
        }
        int high = min(row + radius, rows - 1) - max(row - radius, 0) + 1;
        blur[size_t(row) * cols + col] = sum / (high * wide);
        if (row - radius >= 0) {
            sum -= sums[size_t(row - radius) * cols + col];
        }
    }
}

extern "C" void solve(const unsigned char* image, float* grey, float* blur, int rows, int cols, int radius) {
    static float* sums = nullptr;
    static size_t kept = 0;
    size_t pixels = size_t(rows) * cols;
    if (pixels > kept) {
        cudaFree(sums);
        cudaMalloc(&sums, pixels * sizeof(float));
        kept = pixels;
    }
    int across = (cols + kThreads - 1) / kThreads;
    convert<<<(pixels + kThreads - 1) / kThreads, kThreads>>>(image, grey, pixels);
    sum_rows<<<dim3(across, rows), kThreads>>>(grey, sums, cols, radius);
    average<<<dim3(across, (rows + kStrip - 1) / kStrip), kThreads>>>(sums, blur, rows, cols, radius);
}
