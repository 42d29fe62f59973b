// The mirror image: forwards, a thread computes when the GPU can be free at the earliest after each number of requests. Backwards, it
// takes the largest last batch that can still begin late enough, and end before the batch behind it begins.
//
// What bounds it: latency, as in the plain kernel. A second loop turns numbers from the end into numbers from the beginning.
#include <cuda_runtime.h>

constexpr int kThreads = 64;
constexpr int kRequests = 512;
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

    double free_from[kRequests + 1];
    free_from[0] = 0.0;
    for (int count = 1; count <= n; ++count) {
        double earliest = kFar;
        for (int size = 1; size <= most && size <= count; ++size) {
            double end = fmax(free_from[count - size], at[count - 1]) + cost[size - 1];
            if (end <= at[count - size] + limit) {
                earliest = fmin(earliest, end);
            }
        }
        free_from[count] = earliest;
    }

    double until = kFar;  // when the batch behind begins
    int number = 0;
    for (int count = n; count > 0; ++number) {
        int chosen = 1;
        double begin = 0.0;
        for (int size = 1; size <= most && size <= count; ++size) {
            double latest = fmin(until, at[count - size] + limit) - cost[size - 1];
            if (latest >= fmax(free_from[count - size], at[count - 1])) {
                chosen = size;
                begin = latest;
            }
        }
        for (int k = 0; k < chosen; ++k) {
            out[--count] = number;
        }
        until = begin;
    }
    for (int i = 0; i < n; ++i) {
        out[i] = number - 1 - out[i];
    }
}

extern "C" void solve(
    const double* arrive, const double* cost, const double* slo, int* batch, int traces, int n, int most
) {
    plan<<<(traces + kThreads - 1) / kThreads, kThreads>>>(arrive, cost, slo, batch, traces, n, most);
}
