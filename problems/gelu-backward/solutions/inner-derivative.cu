// Wrong: the argument of tanh has a cubic term, whose derivative is missing. Around zero it hardly matters.
#include <cuda_runtime.h>

constexpr float kScale = 0.7978845608f;  // the square root of 2 / pi
constexpr float kCubic = 0.044715f;

__global__ void gelu(const float* x, const float* dy, float* y, float* dx, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        float tangent = tanhf(kScale * (v + kCubic * v * v * v));
        y[i] = 0.5f * v * (1.0f + tangent);
        dx[i] = dy[i] * 0.5f * (1.0f + tangent + v * (1.0f - tangent * tangent) * kScale);
    }
}

extern "C" void solve(const float* x, const float* dy, float* y, float* dx, int n) {
    int threads = 256;
    gelu<<<(n + threads - 1) / threads, threads>>>(x, dy, y, dx, n);
    cudaDeviceSynchronize();
}
