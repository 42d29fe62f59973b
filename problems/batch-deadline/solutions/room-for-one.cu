// Wrong: when it looks ahead, it assumes that all later requests run one by one. The GPU cannot do that at this load, so no batch
// seems to leave enough time, and the batches stay small. The look ahead must form batches as well.
#include <cuda_runtime.h>

constexpr int kThreads = 64;
constexpr int kRequests = 512;
constexpr int kMost = 32;
constexpr double kFar = 1e15;

__global__ void plan(
    const double* arrive, const double* cost, const double* slo, int* batch, int traces, int n, int most
) {
    int trace = blockIdx.x * kThreads + threadIdx.x;
    if (trace >= traces) {
        return;
    }
    const double* at = arrive + static_cast<long long>(trace) * n;
    int* out = batch + static_cast<long long>(trace) * n;
    double limit = slo[0];

    // By when the GPU must be free before request i, so that this and all later requests are on time.
    double free_by[kRequests + 1];
    free_by[n] = kFar;
    for (int i = n - 1; i >= 0; --i) {
        double latest = -kFar;
        for (int size = 1; size <= 1; ++size) {
            double start = fmin(at[i] + limit, free_by[i + size]) - cost[size - 1];
            if (at[i + size - 1] <= start) {
                latest = fmax(latest, start);
            }
        }
        free_by[i] = latest;
    }

    double now = 0.0;
    int number = 0;
    for (int i = 0; i < n; ++number) {
        int chosen = 1;
        double end = fmax(now, at[i]) + cost[0];
        for (int size = 1; size <= most && i + size <= n; ++size) {
            double possible = fmax(now, at[i + size - 1]) + cost[size - 1];
            if (possible <= fmin(at[i] + limit, free_by[i + size])) {
                chosen = size;
                end = possible;
            }
        }
        for (int k = 0; k < chosen; ++k) {
            out[i + k] = number;
        }
        i += chosen;
        now = end;
    }
}

extern "C" void solve(
    const double* arrive, const double* cost, const double* slo, int* batch, int traces, int n, int most
) {
    plan<<<(traces + kThreads - 1) / kThreads, kThreads>>>(arrive, cost, slo, batch, traces, n, most);
}
