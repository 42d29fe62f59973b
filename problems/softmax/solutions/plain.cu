// One block per row, three passes over it: maximum, sum of exponentials, quotient.
//
// What bounds it: memory. The row is read three times and written once; after the first pass a row of
// ordinary length comes from the L1 or L2 cache, so DRAM sees little more than one read and one write.
#include <cuda_runtime.h>
#include <math.h>

constexpr int kThreads = 256;

// Combines one value per thread and returns the result to every thread. `shared` holds kThreads floats.
template <typename Combine>
__device__ float reduce_block(float value, float* shared, Combine combine) {
    shared[threadIdx.x] = value;
    __syncthreads();
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + stride]);
        }
        __syncthreads();
    }
    float result = shared[0];
    __syncthreads();  // no thread may refill `shared` before all have read the result
    return result;
}

struct Maximum {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Sum {
    __device__ float operator()(float a, float b) const { return a + b; }
};

__global__ void softmax(const float* input, float* output, int cols) {
    __shared__ float shared[kThreads];
    const float* in = input + size_t(blockIdx.x) * cols;
    float* out = output + size_t(blockIdx.x) * cols;

    float maximum = -INFINITY;
    for (int col = threadIdx.x; col < cols; col += kThreads) {
        maximum = fmaxf(maximum, in[col]);
    }
    maximum = reduce_block(maximum, shared, Maximum());

    float sum = 0.0f;
    for (int col = threadIdx.x; col < cols; col += kThreads) {
        sum += expf(in[col] - maximum);
    }
    sum = reduce_block(sum, shared, Sum());

    float scale = 1.0f / sum;
    for (int col = threadIdx.x; col < cols; col += kThreads) {
        out[col] = expf(in[col] - maximum) * scale;
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    softmax<<<rows, kThreads>>>(input, output, cols);
}
