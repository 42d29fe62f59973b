// The seven launches, with products on tensor cores. Tiles are filled up with zeros, by loads of 16 bytes where
// rows permit it.
//
// What bounds it: shared memory, because a warp loads two fragments for each step of its one product. Larger tiles
// of a warp, and copies that overlap with the products, are next. Then attention becomes the largest part, which
// still works on one query at a time.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int kTile = 32;
constexpr int kDepth = 32;
constexpr int kRow = kDepth + 16;  // keeps fragments at multiples of 32 bytes
constexpr int kThreads = 128;
constexpr int kParts = 4;  // of at most 128 dimensions, with 32 lanes

__device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
    return value;
}

__device__ float gelu(float u) {
    return 0.5f * u * (1.0f + tanhf(0.7978845608f * (u + 0.044715f * u * u * u)));
}

// A block of one warp for each row. The second pass subtracts the mean before it squares.
__global__ void normalise(const __half* x, const __half* gamma, const __half* beta, __half* z, int d) {
    const __half* row = x + size_t(blockIdx.x) * d;
    float mean = 0.0f, variance = 0.0f;
    for (int i = threadIdx.x; i < d; i += 32) mean += __half2float(row[i]);
    mean = warp_sum(mean) / d;
    for (int i = threadIdx.x; i < d; i += 32) {
        float difference = __half2float(row[i]) - mean;
        variance += difference * difference;
    }
    float scale = rsqrtf(warp_sum(variance) / d + 1e-5f);
    for (int i = threadIdx.x; i < d; i += 32) {
        float value = (__half2float(row[i]) - mean) * scale;
        z[size_t(blockIdx.x) * d + i] = __float2half(value * __half2float(gamma[i]) + __half2float(beta[i]));
    }
}

// Eight elements of a row, with zeros outside of the matrix. If rows begin at multiples of 16 bytes, the eight are
// inside or outside as a whole.
__device__ void load(__half* to, const __half* from, int row, int column, int rows, int columns) {
    const __half* place = from + size_t(row) * columns + column;
    if (columns % 8 == 0) {
        bool inside = row < rows && column < columns;
        *reinterpret_cast<uint4*>(to) = inside ? *reinterpret_cast<const uint4*>(place) : make_uint4(0, 0, 0, 0);
        return;
    }
    for (int i = 0; i < 8; ++i) to[i] = row < rows && column + i < columns ? place[i] : __float2half(0.0f);
}

// out = a times the transpose of w. Each of four warps makes 16 x 16 of a tile of 32 x 32. `kEnd` says what happens to a
// sum: nothing, GELU, or `added` is added.
enum End { kNothing, kGelu, kAdd };

template <End kEnd>
__global__ void multiply(const __half* a, const __half* w, const __half* added, __half* out, int rows, int columns, int inner) {
    __shared__ alignas(32) __half left[kTile][kRow], right[kTile][kRow];
    __shared__ alignas(32) float sums[kTile][kTile];
    int thread = threadIdx.x, down = thread / 64 * 16, across = thread / 32 % 2 * 16;
    int top = blockIdx.y * kTile, start = blockIdx.x * kTile;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int first = 0; first < inner; first += kDepth) {
        for (int i = thread; i < kTile * kDepth / 8; i += kThreads) {
            int row = i / (kDepth / 8), column = i % (kDepth / 8) * 8, at = first + column;
            load(&left[row][column], a, top + row, at, rows, inner);
            load(&right[row][column], w, start + row, at, columns, inner);
        }
        __syncthreads();
        for (int j = 0; j < kDepth; j += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> from_left;
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> from_right;
            wmma::load_matrix_sync(from_left, &left[down][j], kRow);
            wmma::load_matrix_sync(from_right, &right[across][j], kRow);
            wmma::mma_sync(sum, from_left, from_right, sum);
        }
        __syncthreads();
    }
    wmma::store_matrix_sync(&sums[down][across], sum, kTile, wmma::mem_row_major);
    __syncthreads();
    for (int i = thread; i < kTile * kTile; i += kThreads) {
        int row = top + i / kTile, column = start + i % kTile;
        if (row >= rows || column >= columns) continue;
        size_t place = size_t(row) * columns + column;
        float value = sums[i / kTile][i % kTile];
        if (kEnd == kGelu) value = gelu(value);
        if (kEnd == kAdd) value += __half2float(added[place]);
        out[place] = __float2half(value);
    }
}

template <End kEnd>
void product(const __half* a, const __half* w, const __half* added, __half* out, int rows, int columns, int inner) {
    dim3 grid((columns - 1) / kTile + 1, (rows - 1) / kTile + 1);
    multiply<kEnd><<<grid, kThreads>>>(a, w, added, out, rows, columns, inner);
}

// A warp for each query of each head. A lane has the dimensions lane, lane + 32, …, at most four.
__global__ void attend(const __half* qkv, __half* o, int n, int heads, int dim) {
    int query = blockIdx.x, head = blockIdx.y, lane = threadIdx.x, d = heads * dim;
    const __half* sequence = qkv + size_t(blockIdx.z) * n * 3 * d + head * dim;
    float own[kParts], sums[kParts] = {}, most = -INFINITY, total = 0.0f, scale = rsqrtf(dim);
    for (int p = 0; p < kParts; ++p) {
        int c = lane + 32 * p;
        own[p] = c < dim ? __half2float(sequence[size_t(query) * 3 * d + c]) * scale : 0.0f;
    }
    for (int key = 0; key <= query; ++key) {
        const __half* k = sequence + size_t(key) * 3 * d + d;
        float score = 0.0f;
        for (int p = 0; p < kParts; ++p) {
            int c = lane + 32 * p;
            if (c < dim) score += own[p] * __half2float(k[c]);
        }
        score = warp_sum(score);
        float highest = fmaxf(most, score), old = expf(most - highest), weight = expf(score - highest);
        most = highest;
        total = total * old + weight;
        for (int p = 0; p < kParts; ++p) {
            int c = lane + 32 * p;
            if (c < dim) sums[p] = sums[p] * old + weight * __half2float(k[d + c]);
        }
    }
    for (int p = 0; p < kParts; ++p) {
        int c = lane + 32 * p;
        if (c < dim) o[(size_t(blockIdx.z) * n + query) * d + head * dim + c] = __float2half(sums[p] / total);
    }
}

extern "C" void solve(const __half* x, const __half* gamma1, const __half* beta1, const __half* wqkv, const __half* wo,
                      const __half* gamma2, const __half* beta2, const __half* w1, const __half* w2, __half* y,
                      int batch, int n, int heads, int dim, int hidden) {
    int rows = batch * n, d = heads * dim;
    size_t count = size_t(rows) * d;
    __half *z, *qkv, *h, *u;
    cudaMallocAsync(&z, count * 2, 0);
    cudaMallocAsync(&qkv, count * 6, 0);
    cudaMallocAsync(&h, count * 2, 0);
    cudaMallocAsync(&u, size_t(rows) * hidden * 2, 0);
    normalise<<<rows, 32>>>(x, gamma1, beta1, z, d);
    product<kNothing>(z, wqkv, nullptr, qkv, rows, 3 * d, d);
    attend<<<dim3(n, heads, batch), 32>>>(qkv, z, n, heads, dim);
    product<kAdd>(z, wo, x, h, rows, d, d);
    normalise<<<rows, 32>>>(h, gamma2, beta2, z, d);
    product<kGelu>(z, w1, nullptr, u, rows, hidden, d);
    product<kAdd>(u, w2, h, y, rows, d, hidden);
    for (__half* memory : {z, qkv, h, u}) cudaFreeAsync(memory, 0);
}
