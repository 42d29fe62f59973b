// Few different numbers of pieces and options exist, so the number of attempts that each needs is computed once. Then each job is 36
// or so comparisons with a table in shared memory.
//
// Bound by memory with few families, 12 bytes per job, and by shared memory with many.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kIntervals = 6;
constexpr int kWork = 48;
constexpr int kFamilies = 8;
constexpr int kNever = 1 << 20;

// Slots that `pieces` pieces need with a probability of 95 %, by family, interval and pieces.
__device__ int needed[kFamilies * kIntervals * (kWork + 1)];
__device__ float each[kFamilies * kIntervals];  // cost of a piece

__global__ void tabulate(const float* price, const float* survival, const int* write) {
    int option = blockIdx.x, pieces = threadIdx.x + 1;
    int slots = (1 << (option % kIntervals)) + write[option / kIntervals];
    float success = 1.0f;
    for (int i = 0; i < slots; ++i) {
        success *= survival[option / kIntervals];
    }
    float term = 1.0f;
    for (int i = 0; i < pieces; ++i) {
        term *= success;
    }
    float sum = term;
    int failures = 0;
    while (sum < 0.95f && failures < 256) {
        term *= (1.0f - success) * (pieces + failures) / (failures + 1);
        ++failures;
        sum += term;
    }
    needed[option * (kWork + 1) + pieces] = sum < 0.95f ? kNever : slots * (pieces + failures);
    if (pieces == 1) {
        each[option] = price[option / kIntervals] * slots / success;
    }
}

__global__ void choose(const int* work, const int* deadline, int* plan, int jobs, int families) {
    __shared__ int need[kFamilies * kIntervals * (kWork + 1)];
    __shared__ float one[kFamilies * kIntervals];
    for (int i = threadIdx.x; i < families * kIntervals * (kWork + 1); i += kThreads) {
        need[i] = needed[i];
    }
    if (threadIdx.x < families * kIntervals) {
        one[threadIdx.x] = each[threadIdx.x];
    }
    __syncthreads();
    for (int job = blockIdx.x * kThreads + threadIdx.x; job < jobs; job += gridDim.x * kThreads) {
        int slots = work[job], limit = deadline[job];
        float least = 1e30f;
        int best = 0;
        for (int k = 0; k < kIntervals; ++k) {
            int pieces = (slots + (1 << k) - 1) >> k;
            for (int family = 0; family < families; ++family) {
                int option = family * kIntervals + k;
                float cost = one[option] * pieces;
                if (need[option * (kWork + 1) + pieces] <= limit && cost < least) {
                    least = cost;
                    best = 8 * family + k;
                }
            }
        }
        plan[job] = best;
    }
}

extern "C" void solve(
    const int* work, const int* deadline, const float* price, const float* survival, const int* write, int* plan,
    int jobs, int families
) {
    tabulate<<<families * kIntervals, kWork>>>(price, survival, write);
    int blocks = (jobs + kThreads - 1) / kThreads;
    choose<<<blocks < 2048 ? blocks : 2048, kThreads>>>(work, deadline, plan, jobs, families);
}
