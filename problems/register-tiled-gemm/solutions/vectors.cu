// A block of 256 threads computes 64 x 64 elements of C, a thread 4 x 4 neighbouring ones. The tile of A is stored
// transposed, so four rows and four columns arrive as one float4 each: two loads for 16 multiplications.
//
// What bounds it: at 8 multiplications per load instruction, arithmetic and shared memory are close. 16 sums per
// thread leave room for many warps, which hide the latency of global memory.
#include <cuda_runtime.h>

constexpr int kTile = 64;   // of C, in both directions
constexpr int kDepth = 16;  // of the tiles of A and B
constexpr int kSide = 16;   // threads of a block, in both directions
constexpr int kThreads = kSide * kSide;
constexpr int kPitch = kTile + 4;  // rows stay aligned to 16 bytes, and transposed stores spread over the banks

__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k, float alpha, float beta) {
    __shared__ __align__(16) float a_tile[kDepth][kPitch];  // transposed
    __shared__ __align__(16) float b_tile[kDepth][kPitch];
    int first_row = blockIdx.y * kTile, first_col = blockIdx.x * kTile;
    int x = threadIdx.x % kSide * 4, y = threadIdx.x / kSide * 4;
    float sums[4][4] = {};

    for (int first = 0; first < k; first += kDepth) {
        for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
            int a_row = first_row + i / kDepth, a_col = first + i % kDepth;
            int b_row = first + i / kTile, b_col = first_col + i % kTile;
            a_tile[i % kDepth][i / kDepth] = a_row < m && a_col < k ? a[size_t(a_row) * k + a_col] : 0.0f;
            b_tile[i / kTile][i % kTile] = b_row < k && b_col < n ? b[size_t(b_row) * n + b_col] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int l = 0; l < kDepth; ++l) {
            float4 rows = *reinterpret_cast<const float4*>(&a_tile[l][y]);
            float4 cols = *reinterpret_cast<const float4*>(&b_tile[l][x]);
            float a_part[4] = {rows.x, rows.y, rows.z, rows.w};
            float b_part[4] = {cols.x, cols.y, cols.z, cols.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    sums[i][j] += a_part[i] * b_part[j];
                }
            }
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < 4; ++i) {
        int row = first_row + y + i, col = first_col + x;
        float* target = c + size_t(row) * n + col;
        if (row < m && col < n && n % 4 == 0) {  // then rows of C are aligned to 16 bytes too
            float4 old = *reinterpret_cast<float4*>(target);
            *reinterpret_cast<float4*>(target) =
                make_float4(alpha * sums[i][0] + beta * old.x, alpha * sums[i][1] + beta * old.y,
                            alpha * sums[i][2] + beta * old.z, alpha * sums[i][3] + beta * old.w);
        } else {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                if (row < m && col + j < n) {
                    target[j] = alpha * sums[i][j] + beta * target[j];
                }
            }
        }
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k, float alpha, float beta) {
    dim3 blocks((n - 1) / kTile + 1, (m - 1) / kTile + 1);
    multiply<<<blocks, kThreads>>>(a, b, c, m, n, k, alpha, beta);
}
