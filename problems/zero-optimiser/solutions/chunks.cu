// Each half goes through in chunks: while one chunk is on the link, another one is stepped on. Each device has two streams with a
// small buffer each, and takes them in turn. A buffer is used in one stream only, so no event is needed, and memory for
// four chunks is enough for any n. Both directions of the link work all the time, which bounds the speed.
#include <cuda_runtime.h>

#include <cmath>

static void enable_peer_access() {
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        if (cudaDeviceEnablePeerAccess(1 - device, 0) == cudaErrorPeerAccessAlreadyEnabled) {
            cudaGetLastError();  // an earlier call of solve has enabled it
        }
    }
}

struct Settings {
    float rate, beta1, beta2, eps, decay, bias1, bias2;
};

static Settings settings_of(int step, float rate, float beta1, float beta2, float eps, float decay) {
    float bias1 = 1.0 - pow(double(beta1), step), bias2 = 1.0 - pow(double(beta2), step);
    return {rate, beta1, beta2, eps, decay, bias1, bias2};
}

__global__ void adamw(float* params, const float* own, const float* received, float* m, float* v, int count, Settings s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float g = 0.5f * (own[i] + received[i]);
    float mean = s.beta1 * m[i] + (1.0f - s.beta1) * g;
    float square = s.beta2 * v[i] + (1.0f - s.beta2) * g * g;
    float update = mean / s.bias1 / (sqrtf(square / s.bias2) + s.eps);
    params[i] -= s.rate * (update + s.decay * params[i]);
    m[i] = mean;
    v[i] = square;
}

constexpr int kChunk = 1 << 10;  // 4 KiB, so that small cases have several; megabytes hide the latency of a link

extern "C" void solve(float* params0, float* params1, const float* grads0, const float* grads1, float* m0, float* v0, float* m1,
                      float* v1, int n, int step, float rate, float beta1, float beta2, float eps, float decay) {
    enable_peer_access();
    Settings settings = settings_of(step, rate, beta1, beta2, eps, decay);
    int first = n - n / 2;
    int begin[2] = {0, first}, count[2] = {first, n - first};
    float *params[2] = {params0, params1}, *m[2] = {m0, m1}, *v[2] = {v0, v1};
    const float* grads[2] = {grads0, grads1};
    float* received[2][2];
    cudaStream_t stream[2][2];
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        for (int slot = 0; slot < 2; ++slot) {
            cudaMalloc(&received[device][slot], kChunk * sizeof(float));
            cudaStreamCreateWithFlags(&stream[device][slot], cudaStreamNonBlocking);
        }
    }
    int slot = 0;
    for (int at = 0; at < first; at += kChunk, slot ^= 1) {
        for (int device = 0; device < 2; ++device) {
            int size = min(kChunk, count[device] - at);
            if (size <= 0) continue;  // the second half may be shorter by one element
            int peer = 1 - device, from = begin[device] + at;
            float* buffer = received[device][slot];
            cudaStream_t own = stream[device][slot];
            cudaSetDevice(device);
            cudaMemcpyPeerAsync(buffer, device, grads[peer] + from, peer, size * sizeof(float), own);
            adamw<<<(size + 255) / 256, 256, 0, own>>>(params[device] + from, grads[device] + from, buffer, m[device] + at,
                                                       v[device] + at, size, settings);
            cudaMemcpyPeerAsync(params[peer] + from, peer, params[device] + from, device, size * sizeof(float), own);
        }
    }
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        cudaDeviceSynchronize();
        for (int slot = 0; slot < 2; ++slot) {
            cudaStreamDestroy(stream[device][slot]);
            cudaFree(received[device][slot]);
        }
    }
}
