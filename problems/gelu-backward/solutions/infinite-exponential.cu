// Wrong: computes tanh as (e - 1) / (e + 1). Beyond an activation of about 10, e is infinite in float32, and the
// quotient is not a number. With 2 / (1 + 1 / e) nothing happens. tanhf handles all arguments.
#include <cuda_runtime.h>

constexpr float kScale = 0.7978845608f;  // the square root of 2 / pi
constexpr float kCubic = 0.044715f;

__global__ void gelu(const float* x, const float* dy, float* y, float* dx, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        float e = expf(2.0f * kScale * (v + kCubic * v * v * v));
        float tangent = (e - 1.0f) / (e + 1.0f);
        y[i] = 0.5f * v * (1.0f + tangent);
        float inner = kScale * (1.0f + 3.0f * kCubic * v * v);
        dx[i] = dy[i] * 0.5f * (1.0f + tangent + v * (1.0f - tangent * tangent) * inner);
    }
}

extern "C" void solve(const float* x, const float* dy, float* y, float* dx, int n) {
    int threads = 256;
    gelu<<<(n + threads - 1) / threads, threads>>>(x, dy, y, dx, n);
    cudaDeviceSynchronize();
}
