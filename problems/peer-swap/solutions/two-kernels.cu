// Each device exchanges a half of the pairs, so the multiprocessors of both are at work. The two kernels use different elements,
// and nothing has to be ordered. Bound by the link.
#include <cuda_runtime.h>

__global__ void exchange(float* mine, float* other, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float kept = mine[i];
        mine[i] = other[i];
        other[i] = kept;
    }
}

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
    int half = n / 2, first = half / 2, rest = half - first;
    float* end = a + n - half;
    if (first > 0) {
        cudaSetDevice(0);
        exchange<<<(first + 255) / 256, 256>>>(end, b, first);
    }
    if (rest > 0) {
        cudaSetDevice(1);
        exchange<<<(rest + 255) / 256, 256>>>(b + first, end + first, rest);
    }
}
