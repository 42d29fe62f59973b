// A warp for each job: each lane follows the attempts of one option, with the probabilities of all numbers of finished pieces replaced by
// a sum over failures. A minimum over the lanes finds the best option.
//
// What bounds it: arithmetic, as in the plain kernel, but the lanes of one job wait for its slowest option.
#include <cuda_runtime.h>

constexpr int kWarps = 8;
constexpr int kIntervals = 6;
constexpr unsigned kAll = 0xffffffffu;

__global__ void choose(
    const int* work, const int* deadline, const float* price, const float* survival, const int* write, int* plan,
    int jobs, int families
) {
    int job = blockIdx.x * kWarps + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (job >= jobs) {
        return;
    }
    float least = 1e30f;
    int best = 0;
    for (int option = lane; option < families * kIntervals; option += 32) {
        int family = option / kIntervals, k = option % kIntervals;
        int slots = (1 << k) + write[family];
        int pieces = (work[job] + (1 << k) - 1) >> k;
        int spare = deadline[job] / slots - pieces;  // failures that the deadline permits
        float success = expf(slots * logf(survival[family]));
        float term = spare >= 0 ? expf(pieces * logf(success)) : 0.0f;
        float sum = term;
        for (int failures = 1; failures <= spare; ++failures) {
            term *= (1.0f - success) * (pieces + failures - 1) / failures;
            sum += term;
        }
        float cost = price[family] * slots * pieces / success;
        if (cost < least && sum >= 0.95f) {
            least = cost;
            best = 8 * family + k;
        }
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        float other = __shfl_xor_sync(kAll, least, distance);
        int other_best = __shfl_xor_sync(kAll, best, distance);
        if (other < least || (other == least && other_best < best)) {
            least = other;
            best = other_best;
        }
    }
    if (lane == 0) {
        plan[job] = best;
    }
}

extern "C" void solve(
    const int* work, const int* deadline, const float* price, const float* survival, const int* write, int* plan,
    int jobs, int families
) {
    choose<<<(jobs + kWarps - 1) / kWarps, 32 * kWarps>>>(
        work, deadline, price, survival, write, plan, jobs, families
    );
}
