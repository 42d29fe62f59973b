// Wrong: after the turn, the guard still compares the index of dimension p with the size of dimension 3, and the other way
// round. Tiles at the edges then stay unwritten. Views for which both dimensions have equal sizes do not show it.
#include <cuda_runtime.h>

constexpr int kTile = 32;
constexpr int kRows = 8;

struct Axis {
    long long size, from, to;  // elements, stride in x, stride in y
};

// Each block copies tiles of dimension p, with the smallest stride in x, and dimension 3, with stride 1 in y.
__global__ void copy(const float* x, float* y, Axis a, Axis b, Axis axis_p, Axis axis_3) {
    __shared__ float tile[kTile][kTile + 1];
    const long long dp = axis_p.size, d3 = axis_3.size;
    const long long first_p = static_cast<long long>(blockIdx.x) * kTile;
    const long long first_3 = static_cast<long long>(blockIdx.y) * kTile;
    for (long long outer = blockIdx.z; outer < a.size * b.size; outer += gridDim.z) {
        const float* source = x + outer / b.size * a.from + outer % b.size * b.from;
        float* target = y + outer / b.size * a.to + outer % b.size * b.to;
        for (int row = threadIdx.y; row < kTile; row += kRows) {
            long long p = first_p + threadIdx.x, q = first_3 + row;
            if (p < dp && q < d3) tile[row][threadIdx.x] = source[p * axis_p.from + q * axis_3.from];
        }
        __syncthreads();
        for (int row = threadIdx.y; row < kTile; row += kRows) {
            long long p = first_p + row, q = first_3 + threadIdx.x;
            if (p < d3 && q < dp && p * axis_p.to + q < dp * axis_p.to) target[p * axis_p.to + q] = tile[threadIdx.x][row];
        }
        __syncthreads();
    }
}

// Each row of threads copies a row of y: both sides are read and written along dimension 3.
__global__ void copy_rows(const float* x, float* y, long long rows, Axis a, Axis b, Axis c, Axis axis_3) {
    for (long long row = static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y; row < rows;
         row += static_cast<long long>(gridDim.x) * blockDim.y) {
        long long index_c = row % c.size, rest = row / c.size;
        const float* source = x + rest / b.size * a.from + rest % b.size * b.from + index_c * c.from;
        for (long long i = threadIdx.x; i < axis_3.size; i += blockDim.x) {
            y[row * axis_3.size + i] = source[i * axis_3.from];
        }
    }
}

extern "C" void solve(const float* x, float* y, long long d0, long long d1, long long d2, long long d3,
                      long long s0, long long s1, long long s2, long long s3, long long offset) {
    Axis axes[4] = {{d0, s0, d1 * d2 * d3}, {d1, s1, d2 * d3}, {d2, s2, d3}, {d3, s3, 1}};
    int best = 3;
    for (int axis = 2; axis >= 0; --axis) {
        bool moves = axes[axis].size > 1 && axes[axis].from > 0;
        if (moves && axes[axis].from < axes[best].from) best = axis;
    }
    if (best == 3 || d3 == 1) {
        long long rows = d0 * d1 * d2;
        unsigned blocks = static_cast<unsigned>(rows / 4 + 1 < 65535 ? rows / 4 + 1 : 65535);
        copy_rows<<<blocks, dim3(64, 4)>>>(x + offset, y, rows, axes[0], axes[1], axes[2], axes[3]);
        return;
    }
    Axis a = axes[best == 0 ? 1 : 0], b = axes[best == 2 ? 1 : 2];
    long long outer = a.size * b.size;
    dim3 grid(static_cast<unsigned>((axes[best].size + kTile - 1) / kTile),
              static_cast<unsigned>((d3 + kTile - 1) / kTile), static_cast<unsigned>(outer < 1024 ? outer : 1024));
    copy<<<grid, dim3(kTile, kRows)>>>(x + offset, y, a, b, axes[best], axes[3]);
}
