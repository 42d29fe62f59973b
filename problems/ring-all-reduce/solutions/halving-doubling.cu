// Recursive halving and doubling: each device exchanges half of the array with the device at distance 2, then a quarter
// with the one at distance 1, and afterwards fetches in the opposite order. It takes 4 steps for 4 devices and 20 for
// 1024, where the ring takes 2046. Each device sends n/2 + n/4 elements in each phase, as much as in the ring. Bound by
// the links.
#include <cuda_runtime.h>

constexpr int kDevices = 4;

__global__ void add(float* own, const float* other, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        own[i] += other[i];
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

// The part that a device works on when `parts` devices share the array: its own chunk if there are four.
struct Part {
    int first, count;
};

static Part part_of(int number, int parts, int n) {
    int first = (long long)n * number / parts;
    int end = (long long)n * (number + 1) / parts;
    return {first, end - first};
}

extern "C" void solve(float* x0, float* x1, float* x2, float* x3, int n) {
    enable_peer_access();
    float* x[kDevices] = {x0, x1, x2, x3};
    cudaStream_t stream[kDevices];
    cudaEvent_t done[kDevices];
    for (int d = 0; d < kDevices; ++d) {
        cudaSetDevice(d);
        cudaStreamCreate(&stream[d]);
        cudaEventCreateWithFlags(&done[d], cudaEventDisableTiming);
    }
    // Halving: with the device at distance 2, then at distance 1. Each keeps half of what it had.
    for (int parts = 2, distance = 2; distance > 0; parts *= 2, distance /= 2) {
        for (int d = 0; d < kDevices; ++d) {
            int partner = d ^ distance;
            Part keeps = part_of(d / distance, parts, n);
            cudaSetDevice(d);
            if (keeps.count > 0) {
                add<<<(keeps.count + 255) / 256, 256, 0, stream[d]>>>(x[d] + keeps.first, x[partner] + keeps.first,
                                                                      keeps.count);
            }
        }
        for (int d = 0; d < kDevices; ++d) {
            cudaEventRecord(done[d], stream[d]);
        }
        // The next partner has to be ready, and this one has to have read what is overwritten later.
        for (int d = 0; d < kDevices; ++d) {
            cudaStreamWaitEvent(stream[d], done[d ^ 1], 0);
            cudaStreamWaitEvent(stream[d], done[d ^ 2], 0);
        }
    }
    // Doubling: the same partners in the opposite order. Each fetches what the partner has.
    for (int parts = 4, distance = 1; parts > 1; parts /= 2, distance *= 2) {
        for (int d = 0; d < kDevices; ++d) {
            int partner = d ^ distance;
            Part gets = part_of(partner / distance, parts, n);
            cudaMemcpyPeerAsync(x[d] + gets.first, d, x[partner] + gets.first, partner, gets.count * sizeof(float),
                                stream[d]);
        }
        for (int d = 0; d < kDevices; ++d) {
            cudaEventRecord(done[d], stream[d]);
        }
        for (int d = 0; d < kDevices; ++d) {
            cudaStreamWaitEvent(stream[d], done[d ^ 2], 0);
        }
    }
    for (int d = 0; d < kDevices; ++d) {
        cudaStreamSynchronize(stream[d]);
        cudaStreamDestroy(stream[d]);
        cudaEventDestroy(done[d]);
    }
}
