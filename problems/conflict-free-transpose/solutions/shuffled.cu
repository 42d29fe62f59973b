// Registers: a warp transposes its tile without shared memory. Lane l first holds column l of the tile, one row in each
// of 32 registers. In five steps, lanes whose numbers differ in one bit exchange half of their registers. Then lane l
// holds row l. Each tile takes 80 shuffles by the warp, 16 in each step.
#include <cuda_runtime.h>

constexpr int kTile = 32;
constexpr int kWarps = 4;

__global__ void transpose(const float* input, float* output, int rows, int cols) {
    int lane = threadIdx.x;
    int tiles_across = (cols - 1) / kTile + 1;
    int tiles = ((rows - 1) / kTile + 1) * tiles_across;
    int tile = blockIdx.x * kWarps + threadIdx.y;
    if (tile >= tiles) return;  // the whole warp
    int first_row = tile / tiles_across * kTile;
    int first_col = tile % tiles_across * kTile;

    float held[kTile];
#pragma unroll
    for (int k = 0; k < kTile; ++k) {
        bool inside = first_row + k < rows && first_col + lane < cols;
        held[k] = inside ? input[size_t(first_row + k) * cols + first_col + lane] : 0.0f;
    }
#pragma unroll
    for (int step = kTile / 2; step > 0; step /= 2) {
        bool upper = lane & step;
#pragma unroll
        for (int k = 0; k < kTile; ++k) {
            if (k & step) continue;
            float given = upper ? held[k] : held[k + step];
            float taken = __shfl_xor_sync(0xffffffffu, given, step);
            if (upper) {
                held[k] = taken;
            } else {
                held[k + step] = taken;
            }
        }
    }
#pragma unroll
    for (int k = 0; k < kTile; ++k) {
        if (first_col + k < cols && first_row + lane < rows) {
            output[size_t(first_col + k) * rows + first_row + lane] = held[k];
        }
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    unsigned tiles = ((rows - 1) / kTile + 1) * ((cols - 1) / kTile + 1);
    transpose<<<(tiles + kWarps - 1) / kWarps, dim3(kTile, kWarps)>>>(input, output, rows, cols);
}
