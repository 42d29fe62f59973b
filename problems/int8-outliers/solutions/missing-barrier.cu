// Wrong: each warp reduces by shuffles and leaves its maximum in shared memory, and all threads read the
// maxima at once, without waiting for the other warps. A fast warp then takes a maximum that is too small, or
// what the last block left there. Between the store and the loop there has to be a __syncthreads().
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void find_outliers(const __half* x, unsigned char* outlier, int m, int k, float threshold) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= k) {
        return;
    }
    float most = 0.0f;
    for (int row = 0; row < m; ++row) {
        most = fmaxf(most, fabsf(__half2float(x[size_t(row) * k + col])));
    }
    outlier[col] = most >= threshold;
}

__global__ void quantise(const __half* x, const unsigned char* outlier, signed char* q, float* scale, int k) {
    __shared__ float warps[kThreads / 32];
    const __half* in = x + size_t(blockIdx.x) * k;
    signed char* out = q + size_t(blockIdx.x) * k;
    float most = 0.0f;
    for (int col = threadIdx.x; col < k; col += kThreads) {
        if (!outlier[col]) {
            most = fmaxf(most, fabsf(__half2float(in[col])));
        }
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, offset));
    }
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = most;
    }
    for (int warp = 0; warp < kThreads / 32; ++warp) {
        most = fmaxf(most, warps[warp]);
    }
    float step = most > 0.0f ? most / 127.0f : 1.0f;
    for (int col = threadIdx.x; col < k; col += kThreads) {
        float kept = outlier[col] ? 0.0f : __half2float(in[col]);
        out[col] = __float2int_rn(kept / step);
    }
    if (threadIdx.x == 0) {
        scale[blockIdx.x] = step;
    }
}

extern "C" void solve(const __half* x, signed char* q, float* scale, unsigned char* outlier, int m, int k,
                      float threshold) {
    find_outliers<<<(k + kThreads - 1) / kThreads, kThreads>>>(x, outlier, m, k, threshold);
    quantise<<<m, kThreads>>>(x, outlier, q, scale, k);
}
