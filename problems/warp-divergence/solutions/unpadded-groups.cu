// Right, and most warps agree. But three of the eight warps of a block cross a border between two groups, and those split.
// Let each group begin at a multiple of 32, or make the groups much larger.
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
    __shared__ float value[kThreads];
    __shared__ short origin[kThreads];
    __shared__ int count[4];
    int first = blockIdx.x * kThreads, t = threadIdx.x;
    int length = min(kThreads, n - first);
    if (t < 4) count[t] = 0;
    __syncthreads();
    int k = 0, place = 0;
    if (t < length) {
        k = kind[first + t];
        place = atomicAdd(&count[k], 1);
    }
    __syncthreads();
    int ends[4];
    for (int j = 0, end = 0; j < 4; ++j) ends[j] = end += count[j];
    if (t < length) {
        int slot = place + (k == 0 ? 0 : k == 1 ? ends[0] : k == 2 ? ends[1] : ends[2]);
        value[slot] = x[first + t];
        origin[slot] = t;
    }
    __syncthreads();
    if (t >= length) return;
    float own = value[t], computed;
    if (t < ends[0]) {
        computed = polynomial(own);
    } else if (t < ends[1]) {
        computed = fraction(own);
    } else if (t < ends[2]) {
        computed = roots(own);
    } else {
        computed = chebyshev(own);
    }
    y[first + origin[t]] = computed;
}

extern "C" void solve(const float* x, const unsigned char* kind, float* y, int n) {
    apply<<<(n - 1) / kThreads + 1, kThreads>>>(x, kind, y, n);
}
