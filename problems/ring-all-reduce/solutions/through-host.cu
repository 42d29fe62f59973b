// Right, but the host adds: all arrays go to the host and the sum comes back to each device. The host has a fraction of
// the bandwidth of the links between GPUs, and its processor adds slowly.
#include <cuda_runtime.h>

#include <vector>

constexpr int kDevices = 4;

extern "C" void solve(float* x0, float* x1, float* x2, float* x3, int n) {
    float* x[kDevices] = {x0, x1, x2, x3};
    std::vector<float> sum(n), other(n);
    cudaMemcpy(sum.data(), x[0], n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int d = 1; d < kDevices; ++d) {
        cudaMemcpy(other.data(), x[d], n * sizeof(float), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; ++i) {
            sum[i] += other[i];
        }
    }
    for (int d = 0; d < kDevices; ++d) {
        cudaMemcpy(x[d], sum.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    }
}
