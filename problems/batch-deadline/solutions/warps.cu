// A warp for each trace: lane k examines batches of k + 1 requests, so each request takes one step instead of a loop. A maximum over the
// lanes gives the latest time, which moves on from lane to lane. A vote gives the largest batch.
//
// What bounds it: the latency of shuffles, one request after the other. All accesses to global memory are coalesced.
#include <cuda_runtime.h>

constexpr int kWarps = 4;
constexpr int kRequests = 512;
constexpr int kMost = 32;
constexpr unsigned kAll = 0xffffffffu;
constexpr double kFar = 1e15;

__global__ void plan(
    const double* arrive, const double* cost, const double* slo, int* batch, int traces, int n, int most
) {
    __shared__ double all_times[kWarps][kRequests];
    __shared__ double all_free[kWarps][kRequests + kMost];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int trace = blockIdx.x * kWarps + warp;
    if (trace >= traces) {
        return;
    }
    double* at = all_times[warp];
    double* free_by = all_free[warp];
    const double* source = arrive + static_cast<long long>(trace) * n;
    int* out = batch + static_cast<long long>(trace) * n;
    for (int i = lane; i < n; i += 32) {
        at[i] = source[i];
    }
    free_by[n + lane] = kFar;
    double own_cost = lane < most ? cost[lane] : kFar;
    double limit = slo[0];
    double after = kFar;  // by when the GPU must be free behind a batch of lane + 1 requests
    __syncwarp();

    for (int i = n - 1; i >= 0; --i) {
        double latest = -kFar;
        if (i + lane < n) {
            double start = fmin(at[i] + limit, after) - own_cost;
            latest = at[i + lane] <= start ? start : -kFar;
        }
        for (int distance = 16; distance > 0; distance /= 2) {
            latest = fmax(latest, __shfl_xor_sync(kAll, latest, distance));
        }
        after = __shfl_up_sync(kAll, after, 1);
        if (lane == 0) {
            after = latest;
            free_by[i] = latest;
        }
    }
    __syncwarp();

    double now = 0.0;
    int number = 0;
    for (int i = 0; i < n; ++number) {
        bool fits = false;
        double end = 0.0;
        if (i + lane < n) {
            end = fmax(now, at[i + lane]) + own_cost;
            fits = end <= fmin(at[i] + limit, free_by[i + lane + 1]);
        }
        unsigned vote = __ballot_sync(kAll, fits) | 1u;
        int last = 31 - __clz(vote);
        if (lane <= last) {
            out[i + lane] = number;
        }
        now = __shfl_sync(kAll, end, last);
        i += last + 1;
    }
}

extern "C" void solve(
    const double* arrive, const double* cost, const double* slo, int* batch, int traces, int n, int most
) {
    plan<<<(traces + kWarps - 1) / kWarps, 32 * kWarps>>>(arrive, cost, slo, batch, traces, n, most);
}
