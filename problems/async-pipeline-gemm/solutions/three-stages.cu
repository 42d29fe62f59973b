// Three buffers: two steps are on their way while tensor cores multiply the third. The wait leaves the latest group unfinished, so a copy has the time
// of two steps. Every step closes a group, even an empty one at the end, so that the same number is right in all steps.
//
// What bounds it: the copies, because tensor cores are soon done with a tile of 64 x 64. Larger tiles and more stages help further.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int kTile = 64;   // of c, in both directions
constexpr int kDepth = 32;  // of the tiles of a and b
constexpr int kStages = 3;
constexpr int kThreads = 128;  // four warps, each with 32 x 32 results
constexpr int kGroup = 8;      // elements of a copy of 16 bytes
constexpr int kPitchA = kDepth + kGroup, kPitchB = kTile + kGroup, kPitchC = kTile + 4;

__device__ void copy_group(__half* to, const __half* from, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(__cvta_generic_to_global(from)), "r"(bytes)
                 : "memory");
}

__global__ void __launch_bounds__(kThreads) multiply(const __half* a, const __half* b, float* c, int m, int n, int k) {
    __shared__ alignas(32) __half a_tiles[kStages][kTile * kPitchA];
    __shared__ alignas(32) __half b_tiles[kStages][kDepth * kPitchB];
    __shared__ alignas(32) float c_tile[kTile * kPitchC];
    const int first_row = blockIdx.y * kTile, first_col = blockIdx.x * kTile;
    const int down = threadIdx.x / 64 * 32, right_by = threadIdx.x / 32 % 2 * 32;

    // Beyond the edges, a copy reads no byte and fills its target with zeros.
    auto fetch = [&](int step) {
        for (int i = threadIdx.x; i < kTile * kDepth / kGroup; i += kThreads) {
            const int a_y = i / 4, a_x = i % 4 * kGroup, b_y = i / 8, b_x = i % 8 * kGroup;
            const int a_row = first_row + a_y, a_col = step * kDepth + a_x;
            const bool a_inside = a_row < m && a_col < k;
            copy_group(&a_tiles[step % kStages][a_y * kPitchA + a_x], a_inside ? a + size_t(a_row) * k + a_col : a, a_inside ? 16 : 0);
            const int b_row = step * kDepth + b_y, b_col = first_col + b_x;
            const bool b_inside = b_row < k && b_col < n;
            copy_group(&b_tiles[step % kStages][b_y * kPitchB + b_x], b_inside ? b + size_t(b_row) * n + b_col : b, b_inside ? 16 : 0);
        }
    };
    auto commit = [] { asm volatile("cp.async.commit_group;" ::: "memory"); };

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2][2];
    for (auto& row : sums) {
        for (auto& sum : row) wmma::fill_fragment(sum, 0.0f);
    }
    const int steps = (k - 1) / kDepth + 1;
    for (int step = 0; step < kStages - 1; ++step) {
        if (step < steps) fetch(step);
        commit();
    }
    for (int step = 0; step < steps; ++step) {
        asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
        __syncthreads();
        if (step + kStages - 1 < steps) fetch(step + kStages - 1);
        commit();
        const __half* a_tile = a_tiles[step % kStages];
        const __half* b_tile = b_tiles[step % kStages];
#pragma unroll
        for (int l = 0; l < kDepth; l += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(left[i], a_tile + (down + 16 * i) * kPitchA + l, kPitchA);
                wmma::load_matrix_sync(right[i], b_tile + l * kPitchB + right_by + 16 * i, kPitchB);
            }
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                wmma::mma_sync(sums[i][0], left[i], right[0], sums[i][0]);
                wmma::mma_sync(sums[i][1], left[i], right[1], sums[i][1]);
            }
        }
    }

    for (int i = 0; i < 2; ++i) {
        float* place = c_tile + (down + 16 * i) * kPitchC + right_by;
        wmma::store_matrix_sync(place, sums[i][0], kPitchC, wmma::mem_row_major);
        wmma::store_matrix_sync(place + 16, sums[i][1], kPitchC, wmma::mem_row_major);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kTile * kTile / 4; i += kThreads) {
        const int y = i / (kTile / 4), x = i % (kTile / 4) * 4;
        if (first_row + y < m && first_col + x < n) {
            float4* target = reinterpret_cast<float4*>(c + size_t(first_row + y) * n + first_col + x);
            *target = *reinterpret_cast<const float4*>(c_tile + y * kPitchC + x);
        }
    }
}

extern "C" void solve(const __half* a, const __half* b, float* c, int m, int n, int k) {
    dim3 blocks((n - 1) / kTile + 1, (m - 1) / kTile + 1);
    multiply<<<blocks, kThreads>>>(a, b, c, m, n, k);
}
