// Pins x where it is, so the host copies nothing. The kernel of a piece overlaps with the copy of the next one. Bound by the
// link and by the time that it takes to pin the pages.
#include <cuda_runtime.h>

__global__ void square(float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] *= y[i];
    }
}

extern "C" void solve(const float* x, float* y, int n) {
    float* own = const_cast<float*>(x);  // registering does not change it
    cudaHostRegister(own, n * sizeof(float), cudaHostRegisterDefault);
    cudaStream_t streams[2];
    for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);
    int pieces = n < 4 ? 1 : 4, most = (n + pieces - 1) / pieces;
    for (int first = 0, k = 0; first < n; first += most, ++k) {
        int count = n - first < most ? n - first : most;
        cudaStream_t stream = streams[k % 2];
        cudaMemcpyAsync(y + first, x + first, count * sizeof(float), cudaMemcpyHostToDevice, stream);
        square<<<(count + 255) / 256, 256, 0, stream>>>(y + first, count);
    }
    for (cudaStream_t stream : streams) {
        cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
    }
    cudaHostUnregister(own);
}
