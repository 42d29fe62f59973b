// Three copies in one stream of device 0: the half of b into a buffer, the half of a to its place, and the buffer to the
// other place. The order of the stream is all that is needed. Only one direction of the link is in use at a time, so this
// takes twice as long as copies in two streams.
#include <cuda_runtime.h>

static void enable_peer_access() {
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        if (cudaDeviceEnablePeerAccess(1 - device, 0) == cudaErrorPeerAccessAlreadyEnabled) {
            cudaGetLastError();  // an earlier call of solve has enabled it
        }
    }
}

extern "C" void solve(float* a, float* b, int n) {
    enable_peer_access();
    int half = n / 2;
    size_t bytes = half * sizeof(float);
    float* end = a + n - half;
    float* buffer;
    cudaSetDevice(0);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&buffer, bytes);
    cudaMemcpyPeerAsync(buffer, 0, b, 1, bytes, stream);
    cudaMemcpyPeerAsync(b, 1, end, 0, bytes, stream);
    cudaMemcpyAsync(end, buffer, bytes, cudaMemcpyDeviceToDevice, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(buffer);
}
