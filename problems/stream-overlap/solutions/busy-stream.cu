// Right, but the second stream has kernels without a purpose. The chunks all pass through the first one, and nothing of use
// overlaps.
#include <cuda_runtime.h>

__global__ void softsign(const float* x, float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = x[i] / (1.0f + fabsf(x[i]));
    }
}

__global__ void keep_busy(float* y) { y[threadIdx.x] = 1.0f; }

extern "C" void solve(const float* x, float* y, int n, int chunks) {
    int most = (n + chunks - 1) / chunks;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStream_t other;
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    float* nothing;
    cudaMalloc(&nothing, 32 * sizeof(float));
    float *device_x, *device_y;
    cudaMalloc(&device_x, most * sizeof(float));
    cudaMalloc(&device_y, most * sizeof(float));
    for (int k = 0; k < chunks; ++k) {
        int first = k * most;
        int count = n - first < most ? n - first : most;
        if (count <= 0) break;
        size_t bytes = count * sizeof(float);
        cudaMemcpyAsync(device_x, x + first, bytes, cudaMemcpyHostToDevice, stream);
        keep_busy<<<1, 32, 0, other>>>(nothing);
        softsign<<<(count + 255) / 256, 256, 0, stream>>>(device_x, device_y, count);
        cudaMemcpyAsync(y + first, device_y, bytes, cudaMemcpyDeviceToHost, stream);
    }
    cudaStreamSynchronize(stream);
    cudaStreamSynchronize(other);
    cudaStreamDestroy(stream);
    cudaStreamDestroy(other);
    cudaFree(nothing);
    cudaFree(device_x);
    cudaFree(device_y);
}
