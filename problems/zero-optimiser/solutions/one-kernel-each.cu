// One kernel on each device does all three phases: it reads the gradients of the other device through the link, steps on its half,
// and stores each new parameter in both copies. It needs no buffer, and no event, because the kernels write disjoint elements.
// Bound by the link, if enough threads are in flight to hide the latency of the reads.
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

__global__ void adamw(float* params, float* copy, const float* own, const float* other, float* m, float* v, int count,
                      Settings s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float g = 0.5f * (own[i] + other[i]);
    float mean = s.beta1 * m[i] + (1.0f - s.beta1) * g;
    float square = s.beta2 * v[i] + (1.0f - s.beta2) * g * g;
    float update = mean / s.bias1 / (sqrtf(square / s.bias2) + s.eps);
    float kept = params[i] * (1.0f - s.rate * s.decay);
    float stepped = kept - s.rate * update;
    params[i] = stepped;
    copy[i] = stepped;
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
    for (int device = 0; device < 2; ++device) {
        int peer = 1 - device, from = begin[device];
        cudaSetDevice(device);
        adamw<<<(count[device] + 255) / 256, 256>>>(params[device] + from, params[peer] + from, grads[device] + from,
                                                    grads[peer] + from, m[device], v[device], count[device], settings);
    }
}
