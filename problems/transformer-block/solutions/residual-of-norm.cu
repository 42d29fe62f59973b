// Wrong: adds the input of the MLP, the normalised rows, instead of the rows before that. Both are available in the last
// product, with equal shapes.
#include <cuda_fp16.h>

constexpr int kSide = 16;
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

// out = a times the transpose of w. Every block makes a tile of 16 x 16. `kEnd` says what happens to a sum: nothing, GELU, or `added` is added.
enum End { kNothing, kGelu, kAdd };

template <End kEnd>
__global__ void multiply(const __half* a, const __half* w, const __half* added, __half* out, int rows, int columns, int inner) {
    __shared__ float left[kSide][kSide + 1], right[kSide][kSide + 1];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * kSide + ty, column = blockIdx.x * kSide + tx;
    int other = blockIdx.x * kSide + ty;  // the row of w that this thread loads
    float sum = 0.0f;
    for (int first = 0; first < inner; first += kSide) {
        int i = first + tx;
        left[ty][tx] = row < rows && i < inner ? __half2float(a[size_t(row) * inner + i]) : 0.0f;
        right[ty][tx] = other < columns && i < inner ? __half2float(w[size_t(other) * inner + i]) : 0.0f;
        __syncthreads();
        for (int j = 0; j < kSide; ++j) sum += left[ty][j] * right[tx][j];
        __syncthreads();
    }
    if (row >= rows || column >= columns) return;
    size_t place = size_t(row) * columns + column;
    if (kEnd == kGelu) sum = gelu(sum);
    if (kEnd == kAdd) sum += __half2float(added[place]);
    out[place] = __float2half(sum);
}

template <End kEnd>
void product(const __half* a, const __half* w, const __half* added, __half* out, int rows, int columns, int inner) {
    dim3 grid((columns - 1) / kSide + 1, (rows - 1) / kSide + 1), threads(kSide, kSide);
    multiply<kEnd><<<grid, threads>>>(a, w, added, out, rows, columns, inner);
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
    product<kAdd>(u, w2, z, y, rows, d, hidden);
    for (__half* memory : {z, qkv, h, u}) cudaFreeAsync(memory, 0);
}
