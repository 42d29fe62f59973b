// Wrong: the tree reduction has no barrier, neither after the partial sums are stored nor between its
// steps. A thread adds slots that their owners have not written yet, or have only half reduced. The
// block that wins on one GPU loses on the next: without __syncthreads() the order is undefined.
#include <cuda_runtime.h>
#include <math.h>

constexpr int kThreads = 256;

__global__ void softmax(const float* input, float* output, int cols) {
    __shared__ float partial[kThreads];
    const float* in = input + size_t(blockIdx.x) * cols;
    float* out = output + size_t(blockIdx.x) * cols;

    float maximum = -INFINITY;
    for (int col = 0; col < cols; ++col) {
        maximum = fmaxf(maximum, in[col]);
    }

    float sum = 0.0f;
    for (int col = threadIdx.x; col < cols; col += kThreads) {
        sum += expf(in[col] - maximum);
    }
    partial[threadIdx.x] = sum;
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        }
    }
    __syncthreads();

    for (int col = threadIdx.x; col < cols; col += kThreads) {
        out[col] = expf(in[col] - maximum) / partial[0];
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    softmax<<<rows, kThreads>>>(input, output, cols);
}
