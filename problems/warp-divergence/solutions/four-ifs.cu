// Right, but four conditions in a row split a warp as often as one chain of branches does. Without an else, the lanes of
// the other kinds still wait while a function runs. Group the elements by kind, or let the warp agree first.
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
    if (i >= n) return;
    const int k = kind[i];
    if (k == 0) y[i] = polynomial(x[i]);
    if (k == 1) y[i] = fraction(x[i]);
    if (k == 2) y[i] = roots(x[i]);
    if (k == 3) y[i] = chebyshev(x[i]);
}

extern "C" void solve(const float* x, const unsigned char* kind, float* y, int n) {
    apply<<<(n - 1) / kThreads + 1, kThreads>>>(x, kind, y, n);
}
