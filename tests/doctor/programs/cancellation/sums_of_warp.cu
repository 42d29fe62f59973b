// problem: layer-norm
#include <cuda_runtime.h>

__device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, offset);
    }
    return value;
}

__global__ void normalise(const float* input, const float* gamma, const float* beta, float* output, int cols) {
    const float* in = input + size_t(blockIdx.x) * cols;
    float* out = output + size_t(blockIdx.x) * cols;
    float sum = 0.0f, squares = 0.0f;
    for (int col = threadIdx.x; col < cols; col += 32) {
        float value = in[col];
        sum += value;
        squares += value * value;
    }
    sum = warp_sum(sum);
    squares = warp_sum(squares);
    float off = squares - sum * (sum / cols);  // doctor: cancellation
    float scale = rsqrtf(off / cols + 1e-5f);
    for (int col = threadIdx.x; col < cols; col += 32) {
        out[col] = (in[col] - sum / cols) * scale * gamma[col] + beta[col];
    }
}

extern "C" void solve(const float* input, const float* gamma, const float* beta, float* output, int rows, int cols) {
    normalise<<<rows, 32>>>(input, gamma, beta, output, cols);
}
