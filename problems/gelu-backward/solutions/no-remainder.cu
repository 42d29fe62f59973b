// Wrong: moves four elements at a time and leaves out the last n % 4. If all test sizes are powers of two, it does not show.
#include <cuda_runtime.h>

constexpr float kScale = 0.7978845608f;  // the square root of 2 / pi
constexpr float kCubic = 0.044715f;

__device__ void both(float v, float upstream, float* y, float* dx) {
    float tangent = tanhf(kScale * (v + kCubic * v * v * v));
    *y = 0.5f * v * (1.0f + tangent);
    float inner = kScale * (1.0f + 3.0f * kCubic * v * v);
    *dx = upstream * 0.5f * (1.0f + tangent + v * (1.0f - tangent * tangent) * inner);
}

__global__ void gelu4(const float4* x, const float4* dy, float4* y, float4* dx, int quads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < quads) {
        float4 v = x[i], upstream = dy[i], value, slope;
        both(v.x, upstream.x, &value.x, &slope.x);
        both(v.y, upstream.y, &value.y, &slope.y);
        both(v.z, upstream.z, &value.z, &slope.z);
        both(v.w, upstream.w, &value.w, &slope.w);
        y[i] = value;
        dx[i] = slope;
    }
}

extern "C" void solve(const float* x, const float* dy, float* y, float* dx, int n) {
    int threads = 256, quads = n / 4;
    if (quads > 0) {
        gelu4<<<(quads + threads - 1) / threads, threads>>>(
            (const float4*)x, (const float4*)dy, (float4*)y, (float4*)dx, quads);
    }
    cudaDeviceSynchronize();
}
