// Rows are split into parts of 2048 elements, one block for each, and a second kernel adds up the parts of a
// row.
//
// What bounds it: memory, and there are enough blocks whatever the shape is: m * n / 2048 of them. The
// partial sums take 4 bytes for each part, 0.01 % of the traffic. Their order is fixed, so two runs give the
// same bits, which atomic additions would not.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kPart = 2048;

__device__ float sum_warp(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, offset);
    }
    return value;
}

__global__ void fake_quantise(const float* x, const float* dy, const float* s, const float* z, float* y, float* dx,
                              float* partial, int n, int parts, float levels) {
    __shared__ float warps[kThreads / 32];
    int row = blockIdx.x / parts, part = blockIdx.x % parts;
    size_t start = size_t(row) * n;
    float scale = s[row], zero = z[row];
    float sum = 0.0f;
    int last = min(n, (part + 1) * kPart);
    for (int col = part * kPart + threadIdx.x; col < last; col += kThreads) {
        float value = x[start + col], gradient = dy[start + col];
        float quotient = value / scale, rounded = rintf(quotient);
        bool below = rounded < -zero, above = rounded > levels - zero;
        float kept = below ? -zero : above ? levels - zero : rounded;
        y[start + col] = kept * scale;
        dx[start + col] = below || above ? 0.0f : gradient;
        sum += gradient * (below || above ? kept : rounded - quotient);
    }
    sum = sum_warp(sum);
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = sum_warp(threadIdx.x < kThreads / 32 ? warps[threadIdx.x] : 0.0f);
        if (threadIdx.x == 0) {
            partial[blockIdx.x] = sum;
        }
    }
}

__global__ void add_parts(const float* partial, float* ds, int m, int parts) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= m) {
        return;
    }
    float sum = 0.0f;
    for (int part = threadIdx.x % 32; part < parts; part += 32) {
        sum += partial[size_t(row) * parts + part];
    }
    sum = sum_warp(sum);
    if (threadIdx.x % 32 == 0) {
        ds[row] = sum;
    }
}

extern "C" void solve(const float* x, const float* dy, const float* s, const float* z, float* y, float* dx, float* ds,
                      int m, int n, int levels) {
    int parts = (n + kPart - 1) / kPart;
    float* partial;
    cudaMalloc(&partial, size_t(m) * parts * sizeof(float));
    fake_quantise<<<m * parts, kThreads>>>(x, dy, s, z, y, dx, partial, n, parts, levels);
    add_parts<<<(m + 7) / 8, 256>>>(partial, ds, m, parts);
    cudaFree(partial);
}
