// Wrong: writes a checkpoint after every slot on spot machines. Little work is lost, but writing takes as long as the work or longer.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kIntervals = 6;

__device__ float power(float base, int exponent) {
    float result = 1.0f;
    for (int i = 0; i < exponent; ++i) {
        result *= base;
    }
    return result;
}

// Whether `pieces` pieces are done within `attempts` attempts with a probability of 95 %. The sum goes over the failures before
// the last piece.
__device__ bool in_time(int pieces, int attempts, float success) {
    float term = power(success, pieces), sum = 0.0f;
    for (int failures = 0; pieces + failures <= attempts; ++failures) {
        sum += term;
        if (sum >= 0.95f) {
            return true;
        }
        term *= (1.0f - success) * (pieces + failures) / (failures + 1);
    }
    return false;
}

__global__ void choose(
    const int* work, const int* deadline, const float* price, const float* survival, const int* write, int* plan,
    int jobs, int families
) {
    int job = blockIdx.x * kThreads + threadIdx.x;
    if (job >= jobs) {
        return;
    }
    float least = 1e30f;
    int best = 0;
    for (int family = 0; family < families; ++family) {
        for (int k = 0; k < (family == 0 ? kIntervals : 1); ++k) {
            int slots = (1 << k) + write[family];
            int pieces = (work[job] + (1 << k) - 1) >> k;
            float success = power(survival[family], slots);
            float cost = price[family] * slots * pieces / success;
            if (cost < least && in_time(pieces, deadline[job] / slots, success)) {
                least = cost;
                best = 8 * family + k;
            }
        }
    }
    plan[job] = best;
}

extern "C" void solve(
    const int* work, const int* deadline, const float* price, const float* survival, const int* write, int* plan,
    int jobs, int families
) {
    choose<<<(jobs + kThreads - 1) / kThreads, kThreads>>>(
        work, deadline, price, survival, write, plan, jobs, families
    );
}
