// Wrong: a quarter of the block's slots for each kind. Kinds are equally frequent only on average. If a kind has more elements than
// slots, the last ones get lost or overwrite another group. Count first, then decide where each group begins.
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
constexpr int kGroup = kThreads / 4;

__global__ void apply(const float* x, const unsigned char* kind, float* y, int n) {
    __shared__ float value[kThreads];
    __shared__ short origin[kThreads];
    __shared__ int count[4];
    int first = blockIdx.x * kThreads, t = threadIdx.x;
    if (t < 4) count[t] = 0;
    origin[t] = -1;
    __syncthreads();
    if (first + t < n) {
        int k = kind[first + t];
        int place = atomicAdd(&count[k], 1);
        if (place < kGroup) {  // the others have no slot
            value[k * kGroup + place] = x[first + t];
            origin[k * kGroup + place] = t;
        }
    }
    __syncthreads();
    if (origin[t] < 0) return;
    float own = value[t], computed;
    if (t < kGroup) {
        computed = polynomial(own);
    } else if (t < 2 * kGroup) {
        computed = fraction(own);
    } else if (t < 3 * kGroup) {
        computed = roots(own);
    } else {
        computed = chebyshev(own);
    }
    y[first + origin[t]] = computed;
}

extern "C" void solve(const float* x, const unsigned char* kind, float* y, int n) {
    apply<<<(n - 1) / kThreads + 1, kThreads>>>(x, kind, y, n);
}
