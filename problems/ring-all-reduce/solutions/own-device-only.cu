// Wrong: waits for its own copy, which its stream does anyway. The chunk that a device adds comes from the previous
// one, so it has to wait for the event of that device.
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
    float* x[kDevices] = {x0, x1, x2, x3};
    const int slot = n / kDevices + 1;  // no chunk is longer
    float* buffer[kDevices];
    cudaStream_t stream[kDevices];
    cudaEvent_t sent[kDevices];
    for (int d = 0; d < kDevices; ++d) {
        cudaSetDevice(d);
        cudaMalloc(&buffer[d], (kDevices - 1) * slot * sizeof(float));
        cudaStreamCreate(&stream[d]);
        cudaEventCreateWithFlags(&sent[d], cudaEventDisableTiming);
    }
    // Reduce-scatter: afterwards device d holds the sum of chunk d + 1.
    for (int step = 0; step < kDevices - 1; ++step) {
        for (int d = 0; d < kDevices; ++d) {
            int next = (d + 1) % kDevices;
            Chunk sends = chunk_of(d - step, n);
            cudaMemcpyPeerAsync(buffer[next] + step * slot, next, x[d] + sends.first, d, sends.count * sizeof(float),
                                stream[d]);
            cudaEventRecord(sent[d], stream[d]);
        }
        for (int d = 0; d < kDevices; ++d) {
            Chunk gets = chunk_of(d - step - 1, n);
            cudaSetDevice(d);
            cudaStreamWaitEvent(stream[d], sent[d], 0);
            if (gets.count > 0) {
                add<<<(gets.count + 255) / 256, 256, 0, stream[d]>>>(x[d] + gets.first, buffer[d] + step * slot,
                                                                     gets.count);
            }
        }
    }
    // All-gather: each sum travels around the ring and goes straight to its place.
    for (int step = 0; step < kDevices - 1; ++step) {
        for (int d = 0; d < kDevices; ++d) {
            int next = (d + 1) % kDevices;
            Chunk sends = chunk_of(d + 1 - step, n);
            cudaMemcpyPeerAsync(x[next] + sends.first, next, x[d] + sends.first, d, sends.count * sizeof(float),
                                stream[d]);
            cudaEventRecord(sent[d], stream[d]);
        }
        for (int d = 0; d < kDevices; ++d) {
            cudaStreamWaitEvent(stream[d], sent[d], 0);
        }
    }
    for (int d = 0; d < kDevices; ++d) {
        cudaStreamSynchronize(stream[d]);
        cudaStreamDestroy(stream[d]);
        cudaEventDestroy(sent[d]);
    }
    for (int d = 0; d < kDevices; ++d) {
        cudaFree(buffer[d]);
    }
}
