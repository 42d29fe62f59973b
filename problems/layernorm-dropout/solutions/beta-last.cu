// Wrong: drops the scaled part only and adds beta to all elements. Dropped elements are beta instead of zero, and the others
// lack the factor on beta. Without a shift, beta = 0, both are the same.
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

__device__ float sum_warp(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, offset);
    }
    return value;
}

__global__ void normalise(const float* x, const float* gamma, const float* beta, const long long* seed, float* y,
                          unsigned char* mask, int rows, int cols, unsigned threshold) {
    unsigned row = blockIdx.x * (kThreads / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }
    unsigned start = row * cols, end = start + cols;
    float sum = 0.0f;
    for (unsigned i = start + lane; i < end; i += 32) {
        sum += x[i];
    }
    float mean = sum_warp(sum) / cols;
    float squares = 0.0f;
    for (unsigned i = start + lane; i < end; i += 32) {
        squares += (x[i] - mean) * (x[i] - mean);
    }
    float scale = rsqrtf(sum_warp(squares) / cols + 1e-5f);
    float keep = 1.0f / (1.0f - threshold * 0x1p-32f);
    for (unsigned counter = start / 4 + lane; 4 * counter < end; counter += 32) {
        uint4 words = philox(*seed, counter);
        for (unsigned k = 0; k < 4; ++k) {
            unsigned i = 4 * counter + k;
            if (i >= start && i < end) {
                bool kept = word_of(words, k) >= threshold;
                float value = (x[i] - mean) * scale * gamma[i - start];
                y[i] = (kept ? value * keep : 0.0f) + beta[i - start];
                mask[i] = kept;
            }
        }
    }
}

extern "C" void solve(const float* x, const float* gamma, const float* beta, const long long* seed, float* y,
                      unsigned char* mask, int rows, int cols, unsigned threshold) {
    int per_block = kThreads / 32;
    normalise<<<(rows + per_block - 1) / per_block, kThreads>>>(x, gamma, beta, seed, y, mask, rows, cols, threshold);
}
