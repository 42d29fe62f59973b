// Wrong: raises the layer with the greatest gain per byte by one step at a time. A layer that gains little by 4 bits and a lot by 8 is put off,
// because its first step looks bad. Steps over several columns must be candidates too.
#include <cuda_runtime.h>

constexpr int kThreads = 64;

__device__ int more(int column) { return (1 << column) - 1; }

__global__ void choose(
    const float* err, const long long* size, const long long* budget, int* bits, int models, int layers
) {
    int model = blockIdx.x * kThreads + threadIdx.x;
    if (model >= models) {
        return;
    }
    const float* errors = err + 4ll * model * layers;
    const long long* sizes = size + static_cast<long long>(model) * layers;
    int* own = bits + static_cast<long long>(model) * layers;
    int left = budget[model] / 1024;
    for (int layer = 0; layer < layers; ++layer) {
        left -= sizes[layer] / 4096;
        own[layer] = 0;  // a column for now
    }
    while (true) {
        float best = 0.0f;
        int raised = -1, next = 0, paid = 0;
        for (int layer = 0; layer < layers; ++layer) {
            int column = own[layer];
            for (int to = column + 1; to < 4 && to <= column + 1; ++to) {
                int cost = (more(to) - more(column)) * static_cast<int>(sizes[layer] / 4096);
                float gain = (errors[4 * layer + column] - errors[4 * layer + to]) / cost;
                if (cost <= left && gain > best) {
                    best = gain;
                    raised = layer;
                    next = to;
                    paid = cost;
                }
            }
        }
        if (raised < 0) {
            break;
        }
        own[raised] = next;
        left -= paid;
    }
    for (int layer = 0; layer < layers; ++layer) {
        own[layer] = 2 << own[layer];
    }
}

extern "C" void solve(
    const float* err, const long long* size, const long long* budget, int* bits, int models, int layers
) {
    choose<<<(models + kThreads - 1) / kThreads, kThreads>>>(err, size, budget, bits, models, layers);
}
