// Wrong here: the sum is right, but this is another program. The problem asks for a correction of the given one.
#include <cuda_runtime.h>

#include <cstring>

constexpr int kChunk = 2048;

__global__ void add(const float* x, const float* y, float* z, int count) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        z[i] = x[i] + y[i];
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    size_t bytes = n * sizeof(float);
    float* all;
    cudaMallocManaged(&all, 3 * bytes);
    std::memcpy(all, a, bytes);
    std::memcpy(all + n, b, bytes);
    add<<<64, 256>>>(all, all + n, all + 2 * n, n);
    cudaDeviceSynchronize();
    std::memcpy(c, all + 2 * n, bytes);
    cudaFree(all);
}
