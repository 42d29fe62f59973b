// Wrong: measures 40 random configurations and takes the best of them. It learns nothing from what it has measured, so the best of
// 256 is among them in one table of six.
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

__device__ int tune(Tuner tuner) {
    unsigned random = 12345;
    while (tuner.left > 0) {
        random = random * 1664525u + 1013904223u;
        tuner.measure((random >> 8) % tuner.count());
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
