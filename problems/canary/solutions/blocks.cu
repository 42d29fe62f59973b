// A block for each trace scans the changes of 256 requests at a time in shared memory. The threads find the first end of each test
// with an atomic minimum.
//
// Bound by memory for long traces, and by the barriers for short ones: 20 for 256 requests.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void decide(
    const float* lat, const unsigned char* ok, const int* rules, int* step, int* verdict, int n, int warm
) {
    __shared__ int failures[kThreads], slow[kThreads];
    __shared__ int end[2], bad[2];
    __shared__ float limit;
    int t = threadIdx.x;
    const float* old_lat = lat + 2ll * blockIdx.x * n;
    const float* new_lat = old_lat + n;
    const unsigned char* old_ok = ok + 2ll * blockIdx.x * n;
    const unsigned char* new_ok = old_ok + n;
    if (t < 2) {
        end[t] = n;
        bad[t] = 0;
    }
    // The limit is the latency that exactly warm / 100 others precede in descending order.
    for (int i = t; i < warm; i += kThreads) {
        float own = old_lat[i];
        int before = 0;
        for (int j = 0; j < warm; ++j) {
            before += old_lat[j] > own || (old_lat[j] == own && j < i);
        }
        if (before == warm / 100) {
            limit = own;
        }
    }
    __syncthreads();

    int upper = rules[4], lower = -rules[5];
    int failures_before = 0, slow_before = 0;
    for (int first = warm; first < n; first += kThreads) {
        int i = first + t;
        int failures_now = 0, slow_now = 0;
        if (i < n) {
            failures_now = old_ok[i] && !new_ok[i] ? rules[0] : new_ok[i] && !old_ok[i] ? -rules[1] : 0;
            slow_now = new_lat[i] > limit ? rules[2] : -rules[3];
        }
        failures[t] = failures_now;
        slow[t] = slow_now;
        __syncthreads();
        for (int distance = 1; distance < kThreads; distance *= 2) {
            if (t >= distance) {
                failures_now += failures[t - distance];
                slow_now += slow[t - distance];
            }
            __syncthreads();
            failures[t] = failures_now;
            slow[t] = slow_now;
            __syncthreads();
        }
        failures_now += failures_before;
        slow_now += slow_before;
        failures_before += failures[kThreads - 1];
        slow_before += slow[kThreads - 1];
        bool failures_open = end[0] == n, slow_open = end[1] == n;
        __syncthreads();
        if (i < n && failures_open && (failures_now >= upper || failures_now <= lower)) {
            atomicMin(&end[0], i);
        }
        if (i < n && slow_open && (slow_now >= upper || slow_now <= lower)) {
            atomicMin(&end[1], i);
        }
        __syncthreads();
        if (i == end[0] && failures_open) {
            bad[0] = failures_now >= upper;
        }
        if (i == end[1] && slow_open) {
            bad[1] = slow_now >= upper;
        }
        __syncthreads();
        if (bad[0] || bad[1] || (end[0] < n && end[1] < n)) {
            break;
        }
    }
    if (t == 0) {
        int back = min(bad[0] ? end[0] : n, bad[1] ? end[1] : n);
        int both = max(end[0], end[1]);
        bool rolled = bad[0] || bad[1];
        verdict[blockIdx.x] = rolled ? -1 : both < n;
        step[blockIdx.x] = min((rolled ? back : both) + 1, n);
    }
}

extern "C" void solve(
    const float* lat, const unsigned char* ok, const int* rules, int* step, int* verdict, int traces, int n, int warm
) {
    decide<<<traces, kThreads>>>(lat, ok, rules, step, verdict, n, warm);
}
