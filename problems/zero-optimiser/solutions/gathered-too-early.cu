// Wrong: each device fetches the half of the other one without waiting for its step. Its own stream orders only its own step. Both steps
// take about the same time, so on GPUs the new parameters are often there, by chance.
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

extern "C" void solve(float* params0, float* params1, const float* grads0, const float* grads1, float* m0, float* v0, float* m1,
                      float* v1, int n, int step, float rate, float beta1, float beta2, float eps, float decay) {
    enable_peer_access();
    Settings settings = settings_of(step, rate, beta1, beta2, eps, decay);
    int first = n - n / 2;
    int begin[2] = {0, first}, count[2] = {first, n - first};
    float *params[2] = {params0, params1}, *m[2] = {m0, m1}, *v[2] = {v0, v1};
    const float* grads[2] = {grads0, grads1};
    float* received[2];
    cudaStream_t stream[2];
    cudaEvent_t sent[2], stepped[2];
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        cudaMalloc(&received[device], count[device] * sizeof(float));
        cudaStreamCreate(&stream[device]);
        cudaEventCreateWithFlags(&sent[device], cudaEventDisableTiming);
        cudaEventCreateWithFlags(&stepped[device], cudaEventDisableTiming);
    }
    for (int device = 0; device < 2; ++device) {
        int peer = 1 - device;
        size_t bytes = count[peer] * sizeof(float);
        cudaMemcpyPeerAsync(received[peer], peer, grads[device] + begin[peer], device, bytes, stream[device]);
        cudaEventRecord(sent[device], stream[device]);
    }
    for (int device = 0; device < 2; ++device) {
        int from = begin[device];
        cudaSetDevice(device);
        cudaStreamWaitEvent(stream[device], sent[1 - device], 0);
        adamw<<<(count[device] + 255) / 256, 256, 0, stream[device]>>>(params[device] + from, grads[device] + from,
                                                                       received[device], m[device], v[device],
                                                                       count[device], settings);
        cudaEventRecord(stepped[device], stream[device]);
    }
    for (int device = 0; device < 2; ++device) {
        int peer = 1 - device, from = begin[peer];
        cudaMemcpyPeerAsync(params[device] + from, device, params[peer] + from, peer, count[peer] * sizeof(float),
                            stream[device]);
    }
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        cudaDeviceSynchronize();
    }
    for (int device = 0; device < 2; ++device) {
        cudaStreamDestroy(stream[device]);
        cudaEventDestroy(sent[device]);
        cudaEventDestroy(stepped[device]);
        cudaFree(received[device]);
    }
}
