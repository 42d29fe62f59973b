// Wrong: rounds the budget up to whole units of 1024 bytes. The plan may then need up to 1023 bytes more than there are.
#include <cuda_runtime.h>

constexpr int kThreads = 64;
constexpr int kUnits = 257;

// Units of 1024 bytes that 2 << column bits take beyond 2 bits, for each 4096 weights.
__device__ int more(int column) { return (1 << column) - 1; }

__global__ void choose(
    const float* err, const long long* size, const long long* budget, int* bits, unsigned char* scratch, int models,
    int layers
) {
    int model = blockIdx.x * kThreads + threadIdx.x;
    if (model >= models) {
        return;
    }
    const float* errors = err + 4ll * model * layers;
    const long long* sizes = size + static_cast<long long>(model) * layers;
    unsigned char* choice = scratch + static_cast<long long>(model) * layers * kUnits;
    int extra = (budget[model] + 1023) / 1024;
    for (int layer = 0; layer < layers; ++layer) {
        extra -= sizes[layer] / 4096;
    }

    float least[kUnits];
    for (int place = 0; place <= extra; ++place) {
        least[place] = 0.0f;
    }
    for (int layer = 0; layer < layers; ++layer) {
        int units = sizes[layer] / 4096;
        for (int place = extra; place >= 0; --place) {
            float best = least[place] + errors[4 * layer];
            int chosen = 0;
            for (int column = 1; column < 4; ++column) {
                int before = place - more(column) * units;
                if (before >= 0 && least[before] + errors[4 * layer + column] < best) {
                    best = least[before] + errors[4 * layer + column];
                    chosen = column;
                }
            }
            least[place] = best;
            choice[layer * kUnits + place] = chosen;
        }
    }

    int left = extra;
    for (int layer = layers - 1; layer >= 0; --layer) {
        int column = choice[layer * kUnits + left];
        bits[static_cast<long long>(model) * layers + layer] = 2 << column;
        left -= more(column) * static_cast<int>(sizes[layer] / 4096);
    }
}

extern "C" void solve(
    const float* err, const long long* size, const long long* budget, int* bits, int models, int layers
) {
    unsigned char* scratch;
    cudaMalloc(&scratch, static_cast<size_t>(models) * layers * kUnits);
    choose<<<(models + kThreads - 1) / kThreads, kThreads>>>(err, size, budget, bits, scratch, models, layers);
    cudaFree(scratch);
}
