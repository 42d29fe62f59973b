// Wrong: takes the largest batch that ends in time for its own oldest request. It then often ends at the last moment, and the next
// requests, which arrived shortly after, are late. Look at the requests after the batch, too.
#include <cuda_runtime.h>

constexpr int kThreads = 64;

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
    double now = 0.0;
    int number = 0;
    for (int i = 0; i < n; ++number) {
        int chosen = 1;
        for (int size = 1; size <= most && i + size <= n; ++size) {
            double end = fmax(now, at[i + size - 1]) + cost[size - 1];
            if (end <= at[i] + limit) {
                chosen = size;
            }
        }
        for (int k = 0; k < chosen; ++k) {
            out[i + k] = number;
        }
        now = fmax(now, at[i + chosen - 1]) + cost[chosen - 1];
        i += chosen;
    }
}

extern "C" void solve(
    const double* arrive, const double* cost, const double* slo, int* batch, int traces, int n, int most
) {
    plan<<<(traces + kThreads - 1) / kThreads, kThreads>>>(arrive, cost, slo, batch, traces, n, most);
}
