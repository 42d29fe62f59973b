// Wrong: drops elements of x and normalises what remains. Mean and variance then contain the zeros, and beta makes dropped
// elements nonzero. The order of two layers matters.
#include <cuda_runtime.h>

constexpr int kThreads = 128;

__device__ uint4 philox(unsigned long long seed, unsigned counter) {
    unsigned k0 = unsigned(seed), k1 = unsigned(seed >> 32);
    uint4 c = make_uint4(counter, 0, 0, 0);
    for (int round = 0; round < 10; ++round) {
        unsigned high0 = __umulhi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x;
        unsigned high1 = __umulhi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
        c = make_uint4(high1 ^ c.y ^ k0, low1, high0 ^ c.w ^ k1, low0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}

__device__ unsigned word_of(uint4 words, unsigned k) {
    return k == 0 ? words.x : k == 1 ? words.y : k == 2 ? words.z : words.w;
}

__device__ float sum_block(float value) {
    __shared__ float sums[kThreads];
    sums[threadIdx.x] = value;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
        __syncthreads();
    }
    float total = sums[0];
    __syncthreads();  // before the next call overwrites the sums
    return total;
}

__global__ void draw(const long long* seed, unsigned char* mask, unsigned size, unsigned threshold) {
    unsigned counter = blockIdx.x * kThreads + threadIdx.x;
    uint4 words = philox(*seed, counter);
    for (unsigned k = 0; k < 4; ++k) {
        unsigned i = 4 * counter + k;
        if (i < size) {
            mask[i] = word_of(words, k) >= threshold;
        }
    }
}

__global__ void normalise(const float* x, const float* gamma, const float* beta, float* y, const unsigned char* mask,
                          int cols, unsigned threshold) {
    size_t start = size_t(blockIdx.x) * cols;
    float keep = 1.0f / (1.0f - threshold * 0x1p-32f);
    float sum = 0.0f;
    for (int col = threadIdx.x; col < cols; col += kThreads) {
        sum += mask[start + col] ? x[start + col] * keep : 0.0f;
    }
    float mean = sum_block(sum) / cols;
    float squares = 0.0f;
    for (int col = threadIdx.x; col < cols; col += kThreads) {
        float d = (mask[start + col] ? x[start + col] * keep : 0.0f) - mean;
        squares += d * d;
    }
    float scale = rsqrtf(sum_block(squares) / cols + 1e-5f);
    for (int col = threadIdx.x; col < cols; col += kThreads) {
        float d = (mask[start + col] ? x[start + col] * keep : 0.0f) - mean;
        y[start + col] = d * scale * gamma[col] + beta[col];
    }
}

extern "C" void solve(const float* x, const float* gamma, const float* beta, const long long* seed, float* y,
                      unsigned char* mask, int rows, int cols, unsigned threshold) {
    unsigned size = unsigned(rows) * cols;
    draw<<<(size + 4 * kThreads - 1) / (4 * kThreads), kThreads>>>(seed, mask, size, threshold);
    normalise<<<rows, kThreads>>>(x, gamma, beta, y, mask, cols, threshold);
}
