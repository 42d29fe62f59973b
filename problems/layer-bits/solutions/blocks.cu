// A block for each model, and a thread for each amount of memory. Two tables in shared memory take turns, so that one barrier per layer is
// sufficient. The choices are in shared memory, too.
//
// What bounds it: the barrier and the loads of shared memory for each layer, and the way back, which one thread does.
#include <cuda_runtime.h>

constexpr int kUnits = 256;

__global__ void choose(
    const float* err, const long long* size, const long long* budget, int* bits, int layers
) {
    extern __shared__ unsigned char choice[];  // [layers][kUnits]
    __shared__ float table[2][kUnits];
    __shared__ int total;
    int place = threadIdx.x;
    const float* errors = err + 4ll * blockIdx.x * layers;
    const long long* sizes = size + static_cast<long long>(blockIdx.x) * layers;
    if (place == 0) {
        total = 0;
    }
    table[0][place] = 0.0f;
    __syncthreads();
    for (int layer = place; layer < layers; layer += kUnits) {
        atomicAdd(&total, static_cast<int>(sizes[layer] / 4096));
    }
    for (int layer = 0; layer < layers; ++layer) {
        const float* from = table[layer % 2];
        int units = sizes[layer] / 4096;
        float best = from[place] + errors[4 * layer];
        int chosen = 0;
        for (int column = 1; column < 4; ++column) {
            int before = place - ((1 << column) - 1) * units;
            if (before < 0) {
                break;
            }
            float candidate = from[before] + errors[4 * layer + column];
            if (candidate < best) {
                best = candidate;
                chosen = column;
            }
        }
        table[(layer + 1) % 2][place] = best;
        choice[layer * kUnits + place] = chosen;
        __syncthreads();
    }
    if (place == 0) {
        int left = static_cast<int>(budget[blockIdx.x] / 1024) - total;
        for (int layer = layers - 1; layer >= 0; --layer) {
            int column = choice[layer * kUnits + left];
            bits[static_cast<long long>(blockIdx.x) * layers + layer] = 2 << column;
            left -= ((1 << column) - 1) * static_cast<int>(sizes[layer] / 4096);
        }
    }
}

extern "C" void solve(
    const float* err, const long long* size, const long long* budget, int* bits, int models, int layers
) {
    choose<<<models, kUnits, layers * kUnits>>>(err, size, budget, bits, layers);
}
