// Fits a model: the logarithm of a time is a sum of an effect for each level of each parameter. 28 random measurements give the
// effects, the others go to the configurations that the model predicts to be fastest.
// What bounds it: the measurements. The model costs a few thousand instructions for each table.
#include <cuda_runtime.h>

constexpr int kBudget = 40;

// Four parameters of `levels` levels. Each measurement is one load of four runs.
struct Tuner {
    const float* time;
    int levels;
    int left;
    int best;
    float fastest;

    __device__ Tuner(const float* table, int levels)
        : time(table), levels(levels), left(kBudget), best(0), fastest(INFINITY) {}

    __device__ int count() const { return levels * levels * levels * levels; }

    __device__ float measure(int i) {
        if (left == 0) {
            return INFINITY;
        }
        --left;
        float4 runs = *reinterpret_cast<const float4*>(time + 8 * i);
        float mean = (runs.x + runs.y + runs.z + runs.w) / 4;
        if (mean < fastest) {
            fastest = mean;
            best = i;
        }
        return mean;
    }
};

constexpr int kMost = 256;
constexpr int kSample = 28;

__device__ int tune(Tuner tuner) {
    bool known[kMost];
    float effect[4][4] = {};
    int sum[4][4] = {};
    int count = tuner.count();
    for (int i = 0; i < count; ++i) {
        known[i] = false;
    }
    unsigned random = 2463534242u;
    float total = 0.0f;
    int measured = 0;
    for (int n = 0; n < kSample; ++n) {
        random = random * 1664525u + 1013904223u;
        int i = (random >> 8) % count;
        if (known[i]) {
            continue;
        }
        known[i] = true;
        float log = logf(tuner.measure(i));
        total += log;
        ++measured;
        for (int parameter = 0, rest = i; parameter < 4; ++parameter, rest /= tuner.levels) {
            effect[parameter][rest % tuner.levels] += log;
            ++sum[parameter][rest % tuner.levels];
        }
    }
    float mean = total / measured;
    for (int parameter = 0; parameter < 4; ++parameter) {
        for (int level = 0; level < tuner.levels; ++level) {
            int seen = sum[parameter][level];
            effect[parameter][level] = (effect[parameter][level] - seen * mean) / (seen + 0.5f);
        }
    }
    while (tuner.left > 0) {
        int next = -1;
        float least = INFINITY;
        for (int i = 0; i < count; ++i) {
            float predicted = 0.0f;
            for (int parameter = 0, rest = i; parameter < 4; ++parameter, rest /= tuner.levels) {
                predicted += effect[parameter][rest % tuner.levels];
            }
            if (!known[i] && predicted < least) {
                least = predicted;
                next = i;
            }
        }
        if (next < 0) {
            break;
        }
        known[next] = true;
        tuner.measure(next);
    }
    return tuner.best;
}

__global__ void tune_all(const float* time, int* best, int tables, int levels) {
    int table = blockIdx.x * blockDim.x + threadIdx.x;
    if (table < tables) {
        long long count = (long long)levels * levels * levels * levels;
        best[table] = tune(Tuner(time + 8 * count * table, levels));
    }
}

extern "C" void solve(const float* time, int* best, int tables, int levels) {
    tune_all<<<(tables + 63) / 64, 64>>>(time, best, tables, levels);
    cudaDeviceSynchronize();
}
