// Wrong: returns the last configuration that it measured. The last step of a search is rarely its best one.
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
        best = i;
        return mean;
    }
};

__device__ int tune(Tuner tuner) {
    unsigned random = 12345;
    int start = tuner.count() / 2;
    while (tuner.left > 0) {
        int here = start;
        float now = tuner.measure(here);
        bool better = true;
        while (better && tuner.left > 0) {
            better = false;
            int stride = 1;
            for (int parameter = 0; parameter < 4; ++parameter, stride *= tuner.levels) {
                int level = here / stride % tuner.levels;
                int base = here - level * stride;
                for (int other = 0; other < tuner.levels; ++other) {
                    if (other == level) {
                        continue;
                    }
                    float found = tuner.measure(base + other * stride);
                    if (found < now) {
                        now = found;
                        here = base + other * stride;
                        better = true;
                    }
                }
            }
        }
        random = random * 1664525u + 1013904223u;
        start = (random >> 8) % tuner.count();
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
