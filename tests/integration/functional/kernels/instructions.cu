#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>

__device__ float sink[64];

__global__ void vectors(const float* x, float* y) {
    float4 four = reinterpret_cast<const float4*>(x)[threadIdx.x];  // vector
    y[threadIdx.x] = four.x + four.y + four.z + four.w;
}

__global__ void shuffles(const float* x, float* y) {
    float sum = x[threadIdx.x];
    for (int offset = 16; offset; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);  // shuffle
    int most = __reduce_max_sync(0xffffffff, threadIdx.x);  // redux
    y[threadIdx.x] = sum + most;
}

__global__ void copies(const float* x, float* y) {
    __shared__ float tile[128];
    __pipeline_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], 4);  // cp.async
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    y[threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void tensor(const float* x, float* y) {
    using namespace nvcuda::wmma;
    __shared__ __half a[256], b[256];
    __shared__ float c[256];
    for (int i = threadIdx.x; i < 256; i += 32) a[i] = b[i] = __float2half(x[i % 128]);
    __syncwarp();
    fragment<matrix_a, 16, 16, 16, __half, row_major> left;
    fragment<matrix_b, 16, 16, 16, __half, row_major> right;
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0);
    load_matrix_sync(left, a, 16);
    load_matrix_sync(right, b, 16);
    for (int k = 0; k < 3; ++k) mma_sync(sum, left, right, sum);  // mma
    store_matrix_sync(c, sum, 16, mem_row_major);
    __syncwarp();
    y[threadIdx.x] = c[threadIdx.x];
}

// Lanes make different numbers of steps: the warp makes as many as the longest.
__global__ void specials(const float* x, float* y) {
    float value = x[threadIdx.x];
#pragma unroll 1
    for (int k = 0; k < threadIdx.x % 4; ++k) value = __expf(value);  // special
    y[threadIdx.x] = value;
}

__global__ void others(const float* x, float* y) {
    double wide = x[threadIdx.x];
    wide = wide * wide + 1;  // double
    int four = __dp4a(static_cast<int>(threadIdx.x), 0x01010101, 0);  // dp4a
    y[threadIdx.x] = fmaf(x[threadIdx.x], 2, four) + float(wide);  // fma
}

// Holds many values at a time, and 64 bytes of local memory.
__global__ void __launch_bounds__(128) local(const float* x, float* y) {
    volatile float array[16];
    for (int i = 0; i < 16; ++i) array[i] = x[(threadIdx.x + i) % 128];
    float sum = 0;
    for (int i = 0; i < 16; ++i) sum += array[(i * 5 + threadIdx.x) % 16];
    y[threadIdx.x] = sum;
}

__device__ float work(float value, float by) {
    for (int i = 0; i < 9; ++i) value = by + i + value / (value + by);
    return value;
}

__global__ void ifs(const float* x, float* y) {
    float value = x[threadIdx.x];
    const int kind = static_cast<int>(value * 4);
    float result = 0;
    if (kind == 0) result = work(value, 1);
    if (kind == 1) result = work(value, 2) + 1;
    if (kind == 2) result = work(value, 3) + 2;
    if (kind == 3) result = work(value, 4) + 3;
    y[threadIdx.x] = result;
}

extern "C" void solve(const float* x, float* y, int kind) {
    switch (kind) {
        case 0: vectors<<<1, 32>>>(x, y); break;
        case 1: shuffles<<<1, 128>>>(x, y); break;
        case 2: copies<<<1, 128>>>(x, y); break;
        case 3: tensor<<<2, 32>>>(x, y); break;
        case 4: specials<<<1, 128>>>(x, y); break;
        case 5: others<<<1, 128>>>(x, y); break;
        case 6: local<<<1, 128>>>(x, y); break;
        case 7: ifs<<<1, 128>>>(x, y); break;
    }
}
