// A block for each token. Only attention needs other tokens, and only their keys and values. So one launch makes
// queries, keys and values, and a second one all that follows.
//
// What bounds it: the caches. Each block reads all weights for one token, so a product has no reuse at all. Few
// launches matter when launches take longer than the work, as for one token. For thousands of tokens, this program
// is the slowest.
#include <cuda_fp16.h>

constexpr int kWarps = 8;
constexpr int kParts = 4;  // of at most 128 dimensions, with 32 lanes

__device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
    return value;
}

__device__ float gelu(float u) {
    return 0.5f * u * (1.0f + tanhf(0.7978845608f * (u + 0.044715f * u * u * u)));
}

// Every warp computes the sums, and the block writes the normalised row.
__device__ void normalise(const float* row, const __half* gamma, const __half* beta, float* z, int d) {
    float mean = 0.0f, variance = 0.0f;
    for (int i = threadIdx.x % 32; i < d; i += 32) mean += row[i];
    mean = warp_sum(mean) / d;
    for (int i = threadIdx.x % 32; i < d; i += 32) variance += (row[i] - mean) * (row[i] - mean);
    float scale = rsqrtf(warp_sum(variance) / d + 1e-5f);
    for (int i = threadIdx.x; i < d; i += kWarps * 32) {
        z[i] = (row[i] - mean) * scale * __half2float(gamma[i]) + __half2float(beta[i]);
    }
    __syncthreads();
}

// A warp's product of a row in shared memory and a row of weights. All lanes get the sum.
__device__ float multiply(const float* z, const __half* w, int inner) {
    float sum = 0.0f;
    for (int i = threadIdx.x % 32; i < inner; i += 32) sum += z[i] * __half2float(w[i]);
    return warp_sum(sum);
}

__device__ void load(const __half* x, float* row, int d) {
    for (int i = threadIdx.x; i < d; i += kWarps * 32) row[i] = __half2float(x[size_t(blockIdx.x) * d + i]);
    __syncthreads();
}

__global__ void project(const __half* x, const __half* gamma, const __half* beta, const __half* wqkv, __half* qkv, int d) {
    extern __shared__ float shared[];
    float *row = shared, *z = row + d;
    load(x, row, d);
    normalise(row, gamma, beta, z, d);
    for (int c = threadIdx.x / 32; c < 3 * d; c += kWarps) {
        float sum = multiply(z, wqkv + size_t(c) * d, d);
        if (threadIdx.x % 32 == 0) qkv[size_t(blockIdx.x) * 3 * d + c] = __float2half(sum);
    }
}

// A warp's average of the values for one head.
__device__ void attend(const __half* sequence, float* o, int query, int d, int dim) {
    int lane = threadIdx.x % 32;
    float own[kParts], sums[kParts] = {}, most = -INFINITY, total = 0.0f, scale = rsqrtf(dim);
    for (int p = 0; p < kParts; ++p) {
        int c = lane + 32 * p;
        own[p] = c < dim ? __half2float(sequence[size_t(query) * 3 * d + c]) * scale : 0.0f;
    }
    for (int key = 0; key <= query; ++key) {
        const __half* k = sequence + size_t(key) * 3 * d + d;
        float score = 0.0f;
        for (int p = 0; p < kParts; ++p) {
            if (lane + 32 * p < dim) score += own[p] * __half2float(k[lane + 32 * p]);
        }
        score = warp_sum(score);
        float highest = fmaxf(most, score), old = expf(most - highest), weight = expf(score - highest);
        most = highest;
        total = total * old + weight;
        for (int p = 0; p < kParts; ++p) {
            if (lane + 32 * p < dim) sums[p] = sums[p] * old + weight * __half2float(k[d + lane + 32 * p]);
        }
    }
    for (int p = 0; p < kParts; ++p) {
        if (lane + 32 * p < dim) o[lane + 32 * p] = sums[p] / total;
    }
}

__global__ void finish(const __half* x, const __half* qkv, const __half* wo, const __half* gamma, const __half* beta, const __half* w1,
                       const __half* w2, __half* y, int n, int heads, int dim, int hidden) {
    extern __shared__ float shared[];
    int d = heads * dim, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float *h = shared, *z = h + d, *u = z + d;
    load(x, h, d);
    const __half* sequence = qkv + size_t(blockIdx.x / n) * n * 3 * d;
    for (int head = warp; head < heads; head += kWarps) attend(sequence + head * dim, z + head * dim, blockIdx.x % n, d, dim);
    __syncthreads();
    for (int c = warp; c < d; c += kWarps) {
        float sum = multiply(z, wo + size_t(c) * d, d);
        if (lane == 0) h[c] += sum;
    }
    __syncthreads();
    normalise(h, gamma, beta, z, d);
    for (int c = warp; c < hidden; c += kWarps) {
        float sum = multiply(z, w1 + size_t(c) * d, d);
        if (lane == 0) u[c] = gelu(sum);
    }
    __syncthreads();
    for (int c = warp; c < d; c += kWarps) {
        float sum = multiply(u, w2 + size_t(c) * hidden, hidden);
        if (lane == 0) y[size_t(blockIdx.x) * d + c] = __float2half(h[c] + sum);
    }
}

extern "C" void solve(const __half* x, const __half* gamma1, const __half* beta1, const __half* wqkv, const __half* wo,
                      const __half* gamma2, const __half* beta2, const __half* w1, const __half* w2, __half* y,
                      int batch, int n, int heads, int dim, int hidden) {
    int d = heads * dim;
    __half* qkv;
    cudaMallocAsync(&qkv, size_t(batch) * n * d * 6, 0);
    project<<<batch * n, kWarps * 32, 2 * d * sizeof(float)>>>(x, gamma1, beta1, wqkv, qkv, d);
    finish<<<batch * n, kWarps * 32, (2 * d + hidden) * sizeof(float)>>>(x, qkv, wo, gamma2, beta2, w1, w2, y, n, heads, dim, hidden);
    cudaFreeAsync(qkv, 0);
}
