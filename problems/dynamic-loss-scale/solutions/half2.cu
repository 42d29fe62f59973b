// Two gradients per load and store, and one vote per warp. If n is odd, every second step begins at an odd element,
// which the first thread treats by itself. Bound by memory: 6 bytes per gradient.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ int overflow;

__global__ void clear() { overflow = 0; }

__device__ bool unscale_one(const __half* scaled, float* grad, float inverse, int i) {
    float value = __half2float(scaled[i]);
    grad[i] = value * inverse;
    return isinf(value);
}

// `head` elements come before the first pair that is aligned in both arrays.
__global__ void unscale(const __half* scaled, float* grad, const float* state, int n, int head) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float inverse = 1.0f / state[0];  // exact: the scale is a power of two
    int pairs = (n - head) / 2;
    bool infinite = false;
    if (i < pairs) {
        float2 value = __half22float2(reinterpret_cast<const __half2*>(scaled + head)[i]);
        reinterpret_cast<float2*>(grad + head)[i] = make_float2(value.x * inverse, value.y * inverse);
        infinite = isinf(value.x) || isinf(value.y);
    }
    if (i == 0 && head == 1) {
        infinite |= unscale_one(scaled, grad, inverse, 0);
    }
    if (i == 0 && head + 2 * pairs < n) {
        infinite |= unscale_one(scaled, grad, inverse, n - 1);
    }
    if (__any_sync(0xffffffffu, infinite) && threadIdx.x % 32 == 0) {
        atomicOr(&overflow, 1);
    }
}

__global__ void update(float* state, int interval) {
    if (overflow) {
        state[0] /= 2;
        state[1] = 0.0f;
        state[2] += 1.0f;
    } else {
        state[1] += 1.0f;
        if (state[1] == interval) {
            state[0] *= 2;
            state[1] = 0.0f;
        }
    }
    overflow = 0;
}

extern "C" void solve(const __half* scaled, float* grad, float* state, int steps, int n, int interval) {
    int blocks = (n / 2 + 256) / 256;
    clear<<<1, 1>>>();
    for (int step = 0; step < steps; ++step) {
        size_t at = size_t(step) * n;
        unscale<<<blocks, 256>>>(scaled + at, grad + at, state, n, at % 2);
        update<<<1, 1>>>(state, interval);
    }
}
