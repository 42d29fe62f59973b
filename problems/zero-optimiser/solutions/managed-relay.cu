// Right, with buffers in managed memory. Their pages migrate from one device to the other when a kernel touches them, one fault
// after the other.
#include <cuda_runtime.h>

#include <cmath>

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

__global__ void put(const float* from, float* to, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = from[i];
}

extern "C" void solve(float* params0, float* params1, const float* grads0, const float* grads1, float* m0, float* v0, float* m1,
                      float* v1, int n, int step, float rate, float beta1, float beta2, float eps, float decay) {
    Settings settings = settings_of(step, rate, beta1, beta2, eps, decay);
    int first = n - n / 2;
    int begin[2] = {0, first}, count[2] = {first, n - first};
    float *params[2] = {params0, params1}, *m[2] = {m0, m1}, *v[2] = {v0, v1};
    const float* grads[2] = {grads0, grads1};
    float* relay[2];  // for the half with the same number
    cudaMallocManaged(&relay[0], count[0] * sizeof(float));
    cudaMallocManaged(&relay[1], count[1] * sizeof(float));
    for (int device = 0; device < 2; ++device) {
        int peer = 1 - device;
        cudaSetDevice(device);
        put<<<(count[peer] + 255) / 256, 256>>>(grads[device] + begin[peer], relay[peer], count[peer]);
        cudaDeviceSynchronize();
    }
    for (int device = 0; device < 2; ++device) {
        int from = begin[device], blocks = (count[device] + 255) / 256;
        cudaSetDevice(device);
        adamw<<<blocks, 256>>>(params[device] + from, grads[device] + from, relay[device], m[device], v[device],
                               count[device], settings);
        put<<<blocks, 256>>>(params[device] + from, relay[device], count[device]);
        cudaDeviceSynchronize();
    }
    for (int device = 0; device < 2; ++device) {
        int peer = 1 - device;
        cudaSetDevice(device);
        put<<<(count[peer] + 255) / 256, 256>>>(relay[peer], params[device] + begin[peer], count[peer]);
        cudaDeviceSynchronize();
    }
    cudaFree(relay[0]);
    cudaFree(relay[1]);
}
