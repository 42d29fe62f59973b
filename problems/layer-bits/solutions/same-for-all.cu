// Wrong: gives all layers the same number of bits, the greatest that fits. Layers that tolerate two bits then take the memory that others need.
#include <cuda_runtime.h>

constexpr int kThreads = 64;

__device__ int more(int column) { return (1 << column) - 1; }

__global__ void choose(
    const long long* size, const long long* budget, int* bits, int models, int layers
) {
    int model = blockIdx.x * kThreads + threadIdx.x;
    if (model >= models) {
        return;
    }
    const long long* sizes = size + static_cast<long long>(model) * layers;
    int* own = bits + static_cast<long long>(model) * layers;
    int left = budget[model] / 1024;
    for (int layer = 0; layer < layers; ++layer) {
        left -= sizes[layer] / 4096;
    }
    int total = budget[model] / 1024 - left, column = 0;
    while (column < 3 && more(column + 1) * total <= left) {
        ++column;
    }
    for (int layer = 0; layer < layers; ++layer) {
        own[layer] = 2 << column;
    }
}

extern "C" void solve(
    const float* err, const long long* size, const long long* budget, int* bits, int models, int layers
) {
    choose<<<(models + kThreads - 1) / kThreads, kThreads>>>(size, budget, bits, models, layers);
}
