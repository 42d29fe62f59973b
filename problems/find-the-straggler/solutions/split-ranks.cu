// Eight threads share the ranks of a step, and 32 neighbouring steps share a warp. Their two latest are merged in
// shared memory. Bound by memory, also with few steps: there are eight times as many threads, and loads of several
// ranks are in flight at once.
#include <cuda_runtime.h>

constexpr int kSteps = 32;
constexpr int kShares = 8;

struct Found {
    double latest, second, computed, ended;
    int last;
};

// `b` has higher ranks than `a` or other ones; equal begins make the second equal to the latest.
__device__ Found merge(Found a, Found b) {
    Found later = b.latest > a.latest ? b : a;
    later.second = fmax(fmin(a.latest, b.latest), later.second);
    later.computed = fmax(a.computed, b.computed);
    later.ended = fmax(a.ended, b.ended);
    return later;
}

__global__ void clear(double* delay) { delay[threadIdx.x] = 0.0; }

__global__ void examine(const double* t, double* delay, double* exposed, int ranks, int steps) {
    __shared__ Found shared[kShares][kSteps];
    int step = blockIdx.x * kSteps + threadIdx.x;
    Found found = {-1.0, -1.0, 0.0, 0.0, 0};
    if (step < steps) {
        for (int rank = threadIdx.y; rank < ranks; rank += kShares) {
            const double* times = t + 3 * (size_t(rank) * steps + step);
            found = merge(found, {times[0], -1.0, times[1], times[2], rank});
        }
    }
    shared[threadIdx.y][threadIdx.x] = found;
    __syncthreads();
    if (threadIdx.y == 0 && step < steps) {
        for (int share = 1; share < kShares; ++share) {
            found = merge(found, shared[share][threadIdx.x]);
        }
        exposed[step] = fmax(found.ended - found.computed, 0.0);
        if (ranks > 1) {
            atomicAdd(&delay[found.last], found.latest - found.second);
        }
    }
}

__global__ void choose(const double* delay, int* rank, int ranks) {
    int most = 0;
    for (int other = 1; other < ranks; ++other) {
        if (delay[other] > delay[most]) {
            most = other;
        }
    }
    *rank = most;
}

extern "C" void solve(const double* t, double* delay, int* rank, double* exposed, int ranks, int steps) {
    clear<<<1, ranks>>>(delay);
    examine<<<(steps + kSteps - 1) / kSteps, dim3(kSteps, kShares)>>>(t, delay, exposed, ranks, steps);
    choose<<<1, 1>>>(delay, rank, ranks);
}
