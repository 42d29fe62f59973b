// Wrong: each warp reduces by shuffles and leaves its sum in shared memory, and every thread then adds
// up the warps' sums without waiting for the other warps. Shuffles synchronise a warp, never a block:
// between the store and the loop there has to be a __syncthreads().
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__device__ float sum_block(float value, float* warps) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, offset);
    }
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = value;
    }
    float total = 0.0f;
    for (int warp = 0; warp < kThreads / 32; ++warp) {
        total += warps[warp];
    }
    return total;
}

__global__ void layer_norm(const float* input, const float* gamma, const float* beta, float* output,
                           int cols) {
    __shared__ float warps[2][kThreads / 32];
    const float* in = input + size_t(blockIdx.x) * cols;
    float* out = output + size_t(blockIdx.x) * cols;
    float sum = 0.0f;
    for (int col = threadIdx.x; col < cols; col += kThreads) {
        sum += in[col];
    }
    float mean = sum_block(sum, warps[0]) / cols;
    float squares = 0.0f;
    for (int col = threadIdx.x; col < cols; col += kThreads) {
        squares += (in[col] - mean) * (in[col] - mean);
    }
    float scale = rsqrtf(sum_block(squares, warps[1]) / cols + 1e-5f);
    for (int col = threadIdx.x; col < cols; col += kThreads) {
        out[col] = (in[col] - mean) * scale * gamma[col] + beta[col];
    }
}

extern "C" void solve(const float* input, const float* gamma, const float* beta, float* output, int rows,
                      int cols) {
    layer_norm<<<rows, kThreads>>>(input, gamma, beta, output, cols);
}
