// A pipeline: chunk after chunk goes into one of two small buffers on the other device, and a second stream stores it while
// the next one is on its way. An event hands a buffer over in each direction: it has been filled, or it may be filled again.
// Memory for four chunks is enough for any n. Bound by the link.
#include <cuda_runtime.h>

static void enable_peer_access() {
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        if (cudaDeviceEnablePeerAccess(1 - device, 0) == cudaErrorPeerAccessAlreadyEnabled) {
            cudaGetLastError();  // an earlier call of solve has enabled it
        }
    }
}

constexpr int kChunk = 1 << 11;  // 8 KiB, so that small cases have several; megabytes hide the latency of a link

struct Device {
    cudaStream_t send, store;
    float* buffer[2];
    cudaEvent_t sent[2], stored[2];
};

extern "C" void solve(float* a, float* b, int n) {
    enable_peer_access();
    int half = n / 2;
    float* place[2] = {a + n - half, b};
    Device devices[2];
    for (int d = 0; d < 2; ++d) {
        cudaSetDevice(d);
        cudaStreamCreate(&devices[d].send);
        cudaStreamCreate(&devices[d].store);
        for (int slot = 0; slot < 2; ++slot) {
            cudaMalloc(&devices[d].buffer[slot], kChunk * sizeof(float));
            cudaEventCreateWithFlags(&devices[d].sent[slot], cudaEventDisableTiming);
            cudaEventCreateWithFlags(&devices[d].stored[slot], cudaEventDisableTiming);
        }
    }
    int slot = 0;
    for (int first = 0; first < half; first += kChunk, slot ^= 1) {
        int count = half - first < kChunk ? half - first : kChunk;
        size_t bytes = count * sizeof(float);
        for (int d = 0; d < 2; ++d) {
            Device &from = devices[d], &to = devices[1 - d];
            cudaStreamWaitEvent(from.send, to.stored[slot], 0);  // before the first record it waits for nothing
            cudaMemcpyPeerAsync(to.buffer[slot], 1 - d, place[d] + first, d, bytes, from.send);
            cudaEventRecord(from.sent[slot], from.send);
        }
        for (int d = 0; d < 2; ++d) {
            Device &own = devices[d], &other = devices[1 - d];
            cudaStreamWaitEvent(own.store, other.sent[slot], 0);  // the chunk has arrived
            cudaStreamWaitEvent(own.store, own.sent[slot], 0);    // and what it overwrites has left
            cudaMemcpyAsync(place[d] + first, own.buffer[slot], bytes, cudaMemcpyDeviceToDevice, own.store);
            cudaEventRecord(own.stored[slot], own.store);
        }
    }
    for (int d = 0; d < 2; ++d) {
        cudaSetDevice(d);
        cudaDeviceSynchronize();
    }
    for (int d = 0; d < 2; ++d) {
        cudaStreamDestroy(devices[d].send);
        cudaStreamDestroy(devices[d].store);
        for (int slot = 0; slot < 2; ++slot) {
            cudaFree(devices[d].buffer[slot]);
            cudaEventDestroy(devices[d].sent[slot]);
            cudaEventDestroy(devices[d].stored[slot]);
        }
    }
}
