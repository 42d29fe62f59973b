// Separable: a thread walks down one column and keeps the last three pixels in registers. In each row it shares a
// smoothed value and a difference of its column. From these of the three columns, four operations make both slopes.
//
// What bounds it: DRAM bandwidth. A block reads 130 columns, and each pixel of a strip of 32 rows once. Two rows of
// the shared values alternate, so one barrier per row is enough.
#include <cuda_runtime.h>

constexpr int kWide = 128;  // results of a block
constexpr int kHigh = 32;
constexpr int kThreads = kWide + 32;  // the last warp has the columns at the sides

__device__ int clamp(int at, int end) { return min(max(at, 0), end - 1); }

__global__ void find_edges(const float* image, unsigned char* edge, int rows, int cols, float threshold) {
    __shared__ float smooth[2][kWide + 2];
    __shared__ float steep[2][kWide + 2];
    int t = threadIdx.x;
    bool inner = t < kWide;
    bool loads = t < kWide + 2;
    int place = inner ? t + 1 : (t - kWide) * (kWide + 1);  // of the column among the shared ones
    int col = static_cast<int>(blockIdx.x) * kWide + place - 1;
    int first_row = static_cast<int>(blockIdx.y) * kHigh;
    const float* column = image + clamp(col, cols);

    float above = 0.0f, level = 0.0f;
    if (loads) {
        above = column[size_t(clamp(first_row - 1, rows)) * cols];
        level = column[size_t(clamp(first_row, rows)) * cols];
    }
    for (int y = 0; y < kHigh; ++y) {
        int half = y % 2;
        if (loads) {
            float below = column[size_t(clamp(first_row + y + 1, rows)) * cols];
            smooth[half][place] = above + 2 * level + below;
            steep[half][place] = below - above;
            above = level;
            level = below;
        }
        __syncthreads();
        if (inner && first_row + y < rows && col < cols) {
            float across = smooth[half][t + 2] - smooth[half][t];
            float down = steep[half][t] + 2 * steep[half][t + 1] + steep[half][t + 2];
            bool found = across * across + down * down >= threshold * threshold;
            edge[size_t(first_row + y) * cols + col] = found ? 255 : 0;
        }
    }
}

extern "C" void solve(const float* image, unsigned char* edge, int rows, int cols, float threshold) {
    dim3 blocks((cols - 1) / kWide + 1, (rows - 1) / kHigh + 1);
    find_edges<<<blocks, kThreads>>>(image, edge, rows, cols, threshold);
}
