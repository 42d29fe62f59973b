// Wrong: loads four numbers at a time, and fills the tiles with zeros where a row has fewer left. If its length is not a multiple
// of four, the last numbers of each row are lost. Sizes that are powers of two hide that. In addition, only rows whose
// lengths are multiples of four begin at addresses that such loads may use. A GPU stops with a misaligned address otherwise.
#include <cuda_runtime.h>

constexpr int kTile = 64, kDepth = 16;
constexpr int kSide = 16;  // threads of a block, in both directions; each has 4 x 4 elements of C
constexpr int kThreads = kSide * kSide;

__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float a_tile[kTile][kDepth + 1];
    __shared__ float b_tile[kDepth][kTile];
    int top = blockIdx.y * kTile, left = blockIdx.x * kTile;
    int x = threadIdx.x % kSide, y = threadIdx.x / kSide;
    float sums[4][4] = {};
    for (int first = 0; first < k; first += kDepth) {
        int i = threadIdx.x * 4;  // 256 threads bring 1024 numbers of each tile
        int a_row = top + i / kDepth, a_col = first + i % kDepth;
        int b_row = first + i / kTile, b_col = left + i % kTile;
        float4 zeros = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        const float4* from_a = reinterpret_cast<const float4*>(a + size_t(a_row) * k + a_col);
        const float4* from_b = reinterpret_cast<const float4*>(b + size_t(b_row) * n + b_col);
        float4 va = a_row < m && a_col + 3 < k ? *from_a : zeros;
        float4 vb = b_row < k && b_col + 3 < n ? *from_b : zeros;
        float* to_a = &a_tile[i / kDepth][i % kDepth];
        float* to_b = &b_tile[i / kTile][i % kTile];
        to_a[0] = va.x, to_a[1] = va.y, to_a[2] = va.z, to_a[3] = va.w;
        to_b[0] = vb.x, to_b[1] = vb.y, to_b[2] = vb.z, to_b[3] = vb.w;
        __syncthreads();  // the tiles are complete
#pragma unroll
        for (int l = 0; l < kDepth; ++l) {
            float a_part[4], b_part[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                a_part[i] = a_tile[y + kSide * i][l];
                b_part[i] = b_tile[l][x + kSide * i];
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    sums[i][j] += a_part[i] * b_part[j];
                }
            }
        }
        __syncthreads();  // all threads have finished with them
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            int row = top + y + kSide * i, col = left + x + kSide * j;
            if (row < m && col < n) {
                c[size_t(row) * n + col] = sums[i][j];
            }
        }
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    dim3 blocks((n - 1) / kTile + 1, (m - 1) / kTile + 1);
    multiply<<<blocks, kThreads>>>(a, b, c, m, n, k);
}
