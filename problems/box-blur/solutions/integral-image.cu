// Wrong: a table of the sums over all pixels above and to the left gives any window by four reads. But its entries
// grow with the image, and float32 has 24 bits: after a few hundred pixels a small window is the difference of two
// large, rounded numbers. Sums in 64-bit integers would be exact.
#include <cuda_runtime.h>

__global__ void convert(const unsigned char* image, float* grey, int pixels) {
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel < pixels) {
        int red = image[3 * pixel], green = image[3 * pixel + 1], blue = image[3 * pixel + 2];
        grey[pixel] = (77 * red + 150 * green + 29 * blue) / 256.0f;
    }
}

__global__ void sum_rows(const float* grey, float* table, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int col = 0; col < cols; ++col) {
            sum += grey[size_t(row) * cols + col];
            table[size_t(row) * cols + col] = sum;
        }
    }
}

__global__ void sum_columns(float* table, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        float sum = 0.0f;
        for (int row = 0; row < rows; ++row) {
            sum += table[size_t(row) * cols + col];
            table[size_t(row) * cols + col] = sum;
        }
    }
}

__device__ float before(const float* table, int cols, int row, int col) {
    return row < 0 || col < 0 ? 0.0f : table[size_t(row) * cols + col];
}

__global__ void average(const float* table, float* blur, int rows, int cols, int radius) {
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel < rows * cols) {
        int row = pixel / cols, col = pixel % cols;
        int top = max(row - radius, 0), bottom = min(row + radius, rows - 1);
        int left = max(col - radius, 0), right = min(col + radius, cols - 1);
        float sum = before(table, cols, bottom, right) - before(table, cols, top - 1, right) -
                    before(table, cols, bottom, left - 1) + before(table, cols, top - 1, left - 1);
        blur[pixel] = sum / ((bottom - top + 1) * (right - left + 1));
    }
}

extern "C" void solve(const unsigned char* image, float* grey, float* blur, int rows, int cols, int radius) {
    int pixels = rows * cols;
    float* table = nullptr;
    cudaMalloc(&table, pixels * sizeof(float));
    convert<<<(pixels + 255) / 256, 256>>>(image, grey, pixels);
    sum_rows<<<(rows + 63) / 64, 64>>>(grey, table, rows, cols);
    sum_columns<<<(cols + 63) / 64, 64>>>(table, rows, cols);
    average<<<(pixels + 255) / 256, 256>>>(table, blur, rows, cols, radius);
    cudaFree(table);
}
