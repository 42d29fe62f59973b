// Two walks over the keys on tensor cores: the first finds maximum and sum, the second computes the scores again and uses them.
//
// What bounds it: tensor cores and shared memory. The second walk knows the final maximum, so the sums of values stay in fragments
// and are never rescaled. That costs half as many products more. A warp has 16 queries, and a block of 64 queries shares tiles
// of 32 keys. Dimensions and keys past the end are zeros in the tiles. Masked weights are zero.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

constexpr int kWarps = 4;
constexpr int kSide = 16;
constexpr int kKeys = 32;
constexpr int kQueries = kWarps * kSide;
constexpr int kScorePitch = kKeys + 4;
constexpr int kWeightPitch = kKeys + 8;

template <int kDim>
struct Tiles {
    static constexpr int kPitch = kDim + 8;
    alignas(32) __half queries[kQueries * kDim];
    alignas(32) __half keys[kKeys * kPitch];
    alignas(32) __half values[kKeys * kPitch];
    alignas(32) float scores[kWarps][kSide * kScorePitch];
    alignas(32) __half weights[kWarps][kSide * kWeightPitch];
};

template <int kDim>
__device__ void load(const __half* from, __half* tile, int first, int rows, int pitch, int n, int d) {
    for (int i = threadIdx.x; i < rows * kDim; i += 32 * kWarps) {
        int row = i / kDim, c = i % kDim;
        bool inside = first + row < n && c < d;
        tile[row * pitch + c] = inside ? from[size_t(first + row) * d + c] : __float2half(0.0f);
    }
}

// Writes the products of 16 queries and 32 keys to the scores of a warp.
template <int kDim>
__device__ void multiply(Tiles<kDim>& tiles, int warp) {
    for (int part = 0; part < kKeys; part += kSide) {
        wmma::fragment<wmma::accumulator, kSide, kSide, kSide, float> sum;
        wmma::fill_fragment(sum, 0.0f);
        for (int c = 0; c < kDim; c += kSide) {
            wmma::fragment<wmma::matrix_a, kSide, kSide, kSide, __half, wmma::row_major> left;
            wmma::fragment<wmma::matrix_b, kSide, kSide, kSide, __half, wmma::col_major> right;
            wmma::load_matrix_sync(left, tiles.queries + warp * kSide * kDim + c, kDim);
            wmma::load_matrix_sync(right, tiles.keys + part * tiles.kPitch + c, tiles.kPitch);
            wmma::mma_sync(sum, left, right, sum);
        }
        wmma::store_matrix_sync(tiles.scores[warp] + part, sum, kScorePitch, wmma::mem_row_major);
    }
    __syncwarp();
}

template <int kDim>
__global__ void attend(const __half* q, const __half* k, const __half* v, __half* o, float* lse, int n, int d, float scale,
                       int causal) {
    __shared__ Tiles<kDim> tiles;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = lane / 2, side = lane % 2 * kSide;
    int first = blockIdx.x * kQueries, query = first + warp * kSide + row;
    size_t head = size_t(blockIdx.y) * n * d;
    load<kDim>(q + head, tiles.queries, first, kQueries, kDim, n, d);
    float* scores = tiles.scores[warp];
    __half* weights = tiles.weights[warp];
    int end = causal ? min(n, first + kQueries) : n;
    float most = -INFINITY, total = 0.0f;
    for (int start = 0; start < end; start += kKeys) {
        __syncthreads();
        load<kDim>(k + head, tiles.keys, start, kKeys, tiles.kPitch, n, d);
        __syncthreads();
        multiply(tiles, warp);
        float own[kSide], next = most;
        for (int i = 0; i < kSide; ++i) {
            int key = start + side + i;
            bool seen = key < n && (!causal || key <= query);
            own[i] = seen ? scores[row * kScorePitch + side + i] * scale : -INFINITY;
            next = fmaxf(next, own[i]);
        }
        next = fmaxf(next, __shfl_xor_sync(0xffffffffu, next, 1));
        float sum = 0.0f;
        for (int i = 0; i < kSide; ++i) {
            sum += expf(own[i] - next);
        }
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        total = total * expf(most - next) + sum;
        most = next;
    }
    wmma::fragment<wmma::accumulator, kSide, kSide, kSide, float> sums[kDim / kSide];
#pragma unroll
    for (int part = 0; part < kDim / kSide; ++part) {
        wmma::fill_fragment(sums[part], 0.0f);
    }
    for (int start = 0; start < end; start += kKeys) {
        __syncthreads();
        load<kDim>(k + head, tiles.keys, start, kKeys, tiles.kPitch, n, d);
        load<kDim>(v + head, tiles.values, start, kKeys, tiles.kPitch, n, d);
        __syncthreads();
        multiply(tiles, warp);
        for (int i = side; i < side + kSide; ++i) {
            bool seen = start + i < n && (!causal || start + i <= query);
            float weight = seen ? expf(scores[row * kScorePitch + i] * scale - most) : 0.0f;
            weights[row * kWeightPitch + i] = __float2half(weight);
        }
        __syncwarp();
        for (int part = 0; part < kKeys; part += kSide) {
            wmma::fragment<wmma::matrix_a, kSide, kSide, kSide, __half, wmma::row_major> left;
            wmma::load_matrix_sync(left, weights + part, kWeightPitch);
#pragma unroll
            for (int c = 0; c < kDim / kSide; ++c) {
                wmma::fragment<wmma::matrix_b, kSide, kSide, kSide, __half, wmma::row_major> right;
                wmma::load_matrix_sync(right, tiles.values + part * tiles.kPitch + c * kSide, tiles.kPitch);
                wmma::mma_sync(sums[c], left, right, sums[c]);
            }
        }
    }
#pragma unroll
    for (int part = 0; part < kDim / kSide; ++part) {
        __syncwarp();
        wmma::store_matrix_sync(scores, sums[part], kScorePitch, wmma::mem_row_major);
        __syncwarp();
        for (int i = lane % 2; i < kSide; i += 2) {
            int c = part * kSide + i;
            if (query < n && c < d) {
                o[head + size_t(query) * d + c] = __float2half(scores[row * kScorePitch + i] / total);
            }
        }
    }
    if (query < n && side == 0) {
        lse[size_t(blockIdx.y) * n + query] = most + logf(total);
    }
}

extern "C" void solve(const __half* q, const __half* k, const __half* v, __half* o, float* lse, int b, int h, int n, int d,
                      int causal) {
    auto kernel = d <= 64 ? attend<64> : attend<128>;
    dim3 blocks((n + kQueries - 1) / kQueries, b * h);
    kernel<<<blocks, 32 * kWarps>>>(q, k, v, o, lse, n, d, 1.0f / sqrtf(d), causal);
}
