// Right, but slow: a tile of 16 x 16 results. It loads 18 x 18 pixels, 1.27 per result. Memory moves whole sectors of
// eight pixels, and each row of 18 pixels touches four of them: 32 pixels for 16 results. Rows of 16 bytes of
// results fill half a sector. Make tiles wide along the direction in which memory is contiguous.
#include <cuda_runtime.h>

constexpr int kTile = 16;
constexpr int kSide = kTile + 2;

__device__ int clamp(int at, int end) { return min(max(at, 0), end - 1); }

__global__ void find_edges(const float* image, unsigned char* edge, int rows, int cols, float threshold) {
    __shared__ float tile[kSide * kSide];
    int first_row = blockIdx.y * kTile, first_col = blockIdx.x * kTile;
    int thread = threadIdx.y * kTile + threadIdx.x;
    for (int k = thread; k < kSide * kSide; k += kTile * kTile) {
        int y = clamp(first_row + k / kSide - 1, rows), x = clamp(first_col + k % kSide - 1, cols);
        tile[k] = image[size_t(y) * cols + x];
    }
    __syncthreads();
    int row = first_row + threadIdx.y, col = first_col + threadIdx.x;
    if (row < rows && col < cols) {
        const float* a = tile + threadIdx.y * kSide + threadIdx.x;
        const float* b = a + kSide;
        const float* c = b + kSide;
        float across = a[2] + 2 * b[2] + c[2] - (a[0] + 2 * b[0] + c[0]);
        float down = c[0] + 2 * c[1] + c[2] - (a[0] + 2 * a[1] + a[2]);
        edge[size_t(row) * cols + col] = across * across + down * down >= threshold * threshold ? 255 : 0;
    }
}

extern "C" void solve(const float* image, unsigned char* edge, int rows, int cols, float threshold) {
    dim3 threads(kTile, kTile), blocks((cols - 1) / kTile + 1, (rows - 1) / kTile + 1);
    find_edges<<<blocks, threads>>>(image, edge, rows, cols, threshold);
}
