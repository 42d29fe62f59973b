// Wrong: > instead of >=. A pixel whose slope equals the threshold is an edge. Pixels are multiples of 1/16, so this
// happens, for example with slopes of 3 and 4 at a threshold of 5.
#include <cuda_runtime.h>

constexpr int kWide = 128;  // results of a block
constexpr int kHigh = 32;
constexpr int kWarps = 8;

__device__ int clamp(int at, int end) { return min(max(at, 0), end - 1); }

__global__ void find_edges(const float* image, unsigned char* edge, int rows, int cols, float threshold) {
    __shared__ float tile[kHigh + 2][kWide + 2];  // pixel (y, x) of the block is at (y + 1, x + 1)
    int first_row = blockIdx.y * kHigh, first_col = blockIdx.x * kWide, lane = threadIdx.x;

    for (int y = threadIdx.y; y < kHigh + 2; y += kWarps) {
        const float* line = image + size_t(clamp(first_row + y - 1, rows)) * cols;
        for (int x = lane; x < kWide; x += 32) {
            tile[y][x + 1] = line[clamp(first_col + x, cols)];
        }
        if (lane < 2) {
            int x = lane * (kWide + 1);  // the first and the last column
            tile[y][x] = line[clamp(first_col + x - 1, cols)];
        }
    }
    __syncthreads();

    for (int y = threadIdx.y; y < kHigh; y += kWarps) {
        for (int x = lane; x < kWide; x += 32) {
            const float* a = tile[y] + x;
            const float* b = tile[y + 1] + x;
            const float* c = tile[y + 2] + x;
            float across = a[2] + 2 * b[2] + c[2] - (a[0] + 2 * b[0] + c[0]);
            float down = c[0] + 2 * c[1] + c[2] - (a[0] + 2 * a[1] + a[2]);
            if (first_row + y < rows && first_col + x < cols) {
                bool steep = across * across + down * down > threshold * threshold;
                edge[size_t(first_row + y) * cols + first_col + x] = steep ? 255 : 0;
            }
        }
    }
}

extern "C" void solve(const float* image, unsigned char* edge, int rows, int cols, float threshold) {
    dim3 blocks((cols - 1) / kWide + 1, (rows - 1) / kHigh + 1);
    find_edges<<<blocks, dim3(32, kWarps)>>>(image, edge, rows, cols, threshold);
}
