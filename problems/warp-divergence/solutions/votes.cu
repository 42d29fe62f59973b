// A branch on a vote is the same for all lanes of a warp. Each warp computes those functions that at least one of its lanes
// needs, and each lane keeps its own result. It saves work where neighbours have the same kind, and none in a mixture.
#include <cuda_runtime.h>

__device__ float polynomial(float x) {
    float sum = 1.0f / 12;
    for (int power = 10; power >= 0; --power) sum = sum * x + 1.0f / (power + 1);
    return sum;
}

__device__ float fraction(float x) {
    float value = 7.0f;
    for (int level = 6; level >= 1; --level) value = level + x * x / value;
    return value;
}

__device__ float roots(float x) {
    float value = 1.0f;
    for (int level = 6; level >= 1; --level) value = sqrtf(level + x * x * value);
    return value;
}

__device__ float chebyshev(float x) {
    float before = 1.0f, value = x;
    for (int degree = 2; degree <= 11; ++degree) {
        float next = 2.0f * x * value - before;
        before = value;
        value = next;
    }
    return value;
}

constexpr int kThreads = 256;

__global__ void apply(const float* x, const unsigned char* kind, float* y, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    bool inside = i < n;
    float value = inside ? x[i] : 0.0f;
    int k = inside ? kind[i] : -1;
    float result = 0.0f;
    if (__any_sync(0xffffffffu, k == 0)) {  // all lanes of the warp vote, also those past the end
        float own = polynomial(value);
        result = k == 0 ? own : result;
    }
    if (__any_sync(0xffffffffu, k == 1)) {
        float own = fraction(value);
        result = k == 1 ? own : result;
    }
    if (__any_sync(0xffffffffu, k == 2)) {
        float own = roots(value);
        result = k == 2 ? own : result;
    }
    if (__any_sync(0xffffffffu, k == 3)) {
        float own = chebyshev(value);
        result = k == 3 ? own : result;
    }
    if (inside) y[i] = result;
}

extern "C" void solve(const float* x, const unsigned char* kind, float* y, int n) {
    apply<<<(n - 1) / kThreads + 1, kThreads>>>(x, kind, y, n);
}
