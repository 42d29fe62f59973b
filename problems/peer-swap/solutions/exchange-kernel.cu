// One kernel on device 0 follows pointers into the memory of device 1 and exchanges the elements. It needs no buffer and
// no event, and access in one direction only. Each element crosses the link once each way. Reads over a link take long, so many
// threads must be in flight. Bound by the link.
#include <cuda_runtime.h>

__global__ void exchange(float* mine, float* other, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float kept = mine[i];
        mine[i] = other[i];
        other[i] = kept;
    }
}

extern "C" void solve(float* a, float* b, int n) {
    if (cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();  // an earlier call of solve has enabled it
    }
    int half = n / 2;
    if (half == 0) return;
    exchange<<<(half + 255) / 256, 256>>>(a + n - half, b, half);
}
