// The library multiplies, with beta = 1 where a product is added to the residual. It sees the row-major factors as
// their transposes, so the weights come first and are transposed back.
//
// What bounds it: for long sequences attention, which works on one query at a time. The products are near the peak
// of the tensor cores. GELU reads and writes 8 d bytes for each token, which the library cannot fuse in this call.
#include <cublas_v2.h>
#include <cuda_fp16.h>

constexpr int kParts = 4;  // of at most 128 dimensions, with 32 lanes

__device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
    return value;
}

// A block of one warp for each row. The second pass subtracts the mean before it squares.
__global__ void normalise(const __half* x, const __half* gamma, const __half* beta, __half* z, int d) {
    const __half* row = x + size_t(blockIdx.x) * d;
    float mean = 0.0f, variance = 0.0f;
    for (int i = threadIdx.x; i < d; i += 32) mean += __half2float(row[i]);
    mean = warp_sum(mean) / d;
    for (int i = threadIdx.x; i < d; i += 32) {
        float difference = __half2float(row[i]) - mean;
        variance += difference * difference;
    }
    float scale = rsqrtf(warp_sum(variance) / d + 1e-5f);
    for (int i = threadIdx.x; i < d; i += 32) {
        float value = (__half2float(row[i]) - mean) * scale;
        z[size_t(blockIdx.x) * d + i] = __float2half(value * __half2float(gamma[i]) + __half2float(beta[i]));
    }
}

// A warp for each query of each head. A lane has the dimensions lane, lane + 32, …, at most four.
__global__ void attend(const __half* qkv, __half* o, int n, int heads, int dim) {
    int query = blockIdx.x, head = blockIdx.y, lane = threadIdx.x, d = heads * dim;
    const __half* sequence = qkv + size_t(blockIdx.z) * n * 3 * d + head * dim;
    float own[kParts], sums[kParts] = {}, most = -INFINITY, total = 0.0f, scale = rsqrtf(dim);
    for (int p = 0; p < kParts; ++p) {
        int c = lane + 32 * p;
        own[p] = c < dim ? __half2float(sequence[size_t(query) * 3 * d + c]) * scale : 0.0f;
    }
    for (int key = 0; key <= query; ++key) {
        const __half* k = sequence + size_t(key) * 3 * d + d;
        float score = 0.0f;
        for (int p = 0; p < kParts; ++p) {
            int c = lane + 32 * p;
            if (c < dim) score += own[p] * __half2float(k[c]);
        }
        score = warp_sum(score);
        float highest = fmaxf(most, score), old = expf(most - highest), weight = expf(score - highest);
        most = highest;
        total = total * old + weight;
        for (int p = 0; p < kParts; ++p) {
            int c = lane + 32 * p;
            if (c < dim) sums[p] = sums[p] * old + weight * __half2float(k[d + c]);
        }
    }
    for (int p = 0; p < kParts; ++p) {
        int c = lane + 32 * p;
        if (c < dim) o[(size_t(blockIdx.z) * n + query) * d + head * dim + c] = __float2half(sums[p] / total);
    }
}

__global__ void gelu(__half* u, size_t count) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float z = __half2float(u[i]);
    u[i] = __float2half(0.5f * z * (1.0f + tanhf(0.7978845608f * (z + 0.044715f * z * z * z))));
}

void product(const __half* a, const __half* w, float beta, __half* out, int rows, int columns, int inner) {
    static cublasHandle_t handle = nullptr;
    if (!handle) cublasCreate(&handle);
    const float one = 1.0f;
    cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, columns, rows, inner, &one, w, CUDA_R_16F, inner, a, CUDA_R_16F, inner, &beta, out,
                 CUDA_R_16F, columns, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

extern "C" void solve(const __half* x, const __half* gamma1, const __half* beta1, const __half* wqkv, const __half* wo,
                      const __half* gamma2, const __half* beta2, const __half* w1, const __half* w2, __half* y,
                      int batch, int n, int heads, int dim, int hidden) {
    int rows = batch * n, d = heads * dim;
    size_t count = size_t(rows) * d;
    __half *z, *qkv, *u;
    cudaMallocAsync(&z, count * 2, 0);
    cudaMallocAsync(&qkv, count * 6, 0);
    cudaMallocAsync(&u, size_t(rows) * hidden * 2, 0);
    normalise<<<rows, 32>>>(x, gamma1, beta1, z, d);
    product(z, wqkv, 0.0f, qkv, rows, 3 * d, d);
    attend<<<dim3(n, heads, batch), 32>>>(qkv, z, n, heads, dim);
    cudaMemcpyAsync(y, x, count * 2, cudaMemcpyDeviceToDevice, 0);
    product(z, wo, 1.0f, y, rows, d, d);
    normalise<<<rows, 32>>>(y, gamma2, beta2, z, d);
    product(z, w1, 0.0f, u, rows, hidden, d);
    gelu<<<int((size_t(rows) * hidden - 1) / 256 + 1), 256>>>(u, size_t(rows) * hidden);
    product(u, w2, 1.0f, y, rows, d, hidden);
    for (__half* memory : {z, qkv, u}) cudaFreeAsync(memory, 0);
}
