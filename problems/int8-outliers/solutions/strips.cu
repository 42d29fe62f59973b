// The search for outliers is split over rows too: blocks of 32 columns by 8 threads walk down strips of 64
// rows.
//
// What bounds it: memory, and now with enough threads to keep it busy: m * k / 8 of them search, a warp reads
// 64 consecutive bytes at a time. Few columns have outliers, so few threads reach the atomic operation, which
// sets one bit in a word of 32 columns. A warp quantises a row, without any barrier.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kStrip = 64;
constexpr int kWarps = 8;

__global__ void find_outliers(const __half* x, unsigned* flags, int m, int k, float threshold) {
    int col = blockIdx.x * 32 + threadIdx.x;
    if (col >= k) {
        return;
    }
    int last = min(m, int(blockIdx.y + 1) * kStrip);
    bool found = false;
    for (int row = blockIdx.y * kStrip + threadIdx.y; row < last; row += kWarps) {
        found |= fabsf(__half2float(x[size_t(row) * k + col])) >= threshold;
    }
    if (found) {
        atomicOr(&flags[blockIdx.x], 1u << threadIdx.x);
    }
}

__global__ void expand(const unsigned* flags, unsigned char* outlier, int k) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < k) {
        outlier[col] = flags[col / 32] >> (col % 32) & 1;
    }
}

__global__ void quantise(const __half* x, const unsigned* flags, signed char* q, float* scale, int m, int k) {
    int row = blockIdx.x * kWarps + threadIdx.y, lane = threadIdx.x;
    if (row >= m) {
        return;
    }
    const __half* in = x + size_t(row) * k;
    signed char* out = q + size_t(row) * k;
    float most = 0.0f;
    for (int col = lane; col < k; col += 32) {
        bool kept = !(flags[col / 32] >> lane & 1);
        most = fmaxf(most, kept ? fabsf(__half2float(in[col])) : 0.0f);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, offset));
    }
    float step = most > 0.0f ? most / 127.0f : 1.0f;
    float inverse = 1.0f / step;
    for (int col = lane; col < k; col += 32) {
        bool kept = !(flags[col / 32] >> lane & 1);
        out[col] = kept ? __float2int_rn(__half2float(in[col]) * inverse) : 0;
    }
    if (lane == 0) {
        scale[row] = step;
    }
}

extern "C" void solve(const __half* x, signed char* q, float* scale, unsigned char* outlier, int m, int k,
                      float threshold) {
    int words = (k + 31) / 32;
    unsigned* flags;
    cudaMalloc(&flags, words * sizeof(unsigned));
    cudaMemsetAsync(flags, 0, words * sizeof(unsigned));
    dim3 threads(32, kWarps);
    find_outliers<<<dim3(words, (m + kStrip - 1) / kStrip), threads>>>(x, flags, m, k, threshold);
    expand<<<(k + 255) / 256, 256>>>(flags, outlier, k);
    quantise<<<(m + kWarps - 1) / kWarps, threads>>>(x, flags, q, scale, m, k);
    cudaFree(flags);
}
