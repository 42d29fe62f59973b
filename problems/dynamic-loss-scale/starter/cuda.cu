#include <cuda_fp16.h>
#include <cuda_runtime.h>

// Two launches per step: divide and look for infinities, then update the state. Fill the four holes.

__device__ int overflow;

__global__ void clear() { overflow = 0; }

__global__ void unscale(const __half* scaled, float* grad, const float* state, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float value = __half2float(scaled[i]);
        grad[i] = value;  // 1. Divide by the scale.
        // 2. Set the flag if the value is infinite.
    }
}

__global__ void update(float* state, int interval) {
    state[1] += 1.0f;  // 3. After an overflow: halve the scale, clear this count, and count a skipped step.
    // 4. At the interval: double the scale, and clear the count.
    overflow = 0;
}

extern "C" void solve(const __half* scaled, float* grad, float* state, int steps, int n, int interval) {
    int blocks = (n + 255) / 256;
    clear<<<1, 1>>>();
    for (int step = 0; step < steps; ++step) {
        size_t at = size_t(step) * n;
        unscale<<<blocks, 256>>>(scaled + at, grad + at, state, n);
        update<<<1, 1>>>(state, interval);
    }
}
