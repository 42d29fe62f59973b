// Right, but without copies: the kernels read and write pinned memory over the link. That can be fast for data that is used
// once. This task is about copies, which a program needs as soon as it reads something twice.
#include <cuda_runtime.h>

__global__ void softsign(const float* x, float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = x[i] / (1.0f + fabsf(x[i]));
    }
}

extern "C" void solve(const float* x, float* y, int n, int chunks) {
    int most = (n + chunks - 1) / chunks;
    cudaStream_t streams[2];
    for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);
    int k = 0;
    for (int first = 0; first < n; first += most, k ^= 1) {
        int count = n - first < most ? n - first : most;
        softsign<<<(count + 255) / 256, 256, 0, streams[k]>>>(x + first, y + first, count);
    }
    for (cudaStream_t stream : streams) {
        cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
    }
}
