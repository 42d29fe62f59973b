// One kernel on each device: it reads its chunk from all four arrays and stores the sums in all four. Only one thread
// uses an element, in all arrays, so there is nothing to order: no event, no buffer, no second round. Each device still
// reads three chunks and sends three, which is as much as in the ring. It needs a link between any two devices. Bound
// by the links, and by the latency if the arrays are small.
#include <cuda_runtime.h>

constexpr int kDevices = 4;

// Adds up elements of all four arrays and stores the sums in all four.
__global__ void sum(float* x0, float* x1, float* x2, float* x3, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float total = (x0[i] + x1[i]) + (x2[i] + x3[i]);
        x0[i] = total;
        x1[i] = total;
        x2[i] = total;
        x3[i] = total;
    }
}

static void enable_peer_access() {
    for (int device = 0; device < kDevices; ++device) {
        cudaSetDevice(device);
        for (int peer = 0; peer < kDevices; ++peer) {
            if (peer != device && cudaDeviceEnablePeerAccess(peer, 0) == cudaErrorPeerAccessAlreadyEnabled) {
                cudaGetLastError();  // an earlier call of solve has enabled it
            }
        }
    }
}

struct Chunk {
    int first, count;
};

// Chunk 0, 1, 2 or 3. Other numbers count on around the ring. Lengths differ by at most one, and may be 0.
static Chunk chunk_of(int number, int n) {
    number = (number + kDevices) % kDevices;
    int first = (long long)n * number / kDevices;
    int end = (long long)n * (number + 1) / kDevices;
    return {first, end - first};
}

extern "C" void solve(float* x0, float* x1, float* x2, float* x3, int n) {
    enable_peer_access();
    for (int d = 0; d < kDevices; ++d) {
        Chunk chunk = chunk_of(d, n);
        if (chunk.count > 0) {
            cudaSetDevice(d);
            sum<<<(chunk.count + 255) / 256, 256>>>(x0 + chunk.first, x1 + chunk.first, x2 + chunk.first,
                                                    x3 + chunk.first, chunk.count);
        }
    }
}
