// Wrong: takes all requests that wait when the GPU becomes free. That is a good policy while the deadline is far. Here a batch of one
// keeps the GPU busy nearly as long as a batch of many, so small batches waste it, and a queue builds up.
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
        double start = fmax(now, at[i]);
        while (chosen < most && i + chosen < n && at[i + chosen] <= start) {
            ++chosen;
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
