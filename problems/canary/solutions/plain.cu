// A thread for each trace. It keeps the greatest latencies of the warm-up, and then follows both sums until the decision.
//
// What bounds it: latency and wasted bandwidth. Threads of a warp read addresses that are a whole trace apart, and the warp goes
// on until its last trace has been decided.
#include <cuda_runtime.h>

constexpr int kThreads = 64;
constexpr int kMost = 5;  // for a warm-up of up to 400 requests

__global__ void decide(
    const float* lat, const unsigned char* ok, const int* rules, int* step, int* verdict, int traces, int n, int warm
) {
    int trace = blockIdx.x * kThreads + threadIdx.x;
    if (trace >= traces) {
        return;
    }
    const float* old_lat = lat + 2ll * trace * n;
    const float* new_lat = old_lat + n;
    const unsigned char* old_ok = ok + 2ll * trace * n;
    const unsigned char* new_ok = old_ok + n;

    float greatest[kMost];
    int kept = warm / 100 + 1;
    for (int i = 0; i < kept; ++i) {
        greatest[i] = -1.0f;
    }
    for (int i = 0; i < warm; ++i) {
        float value = old_lat[i];
        for (int j = 0; j < kept; ++j) {
            if (value > greatest[j]) {
                float other = greatest[j];
                greatest[j] = value;
                value = other;
            }
        }
    }
    float limit = greatest[kept - 1];

    int upper = rules[4], lower = -rules[5];
    int failures = 0, slow = 0, decided = 0, i = warm;
    bool failures_open = true, slow_open = true;
    while (i < n && decided == 0) {
        if (failures_open) {
            if (old_ok[i] && !new_ok[i]) {
                failures += rules[0];
            } else if (new_ok[i] && !old_ok[i]) {
                failures -= rules[1];
            }
        }
        if (slow_open) {
            slow += new_lat[i] > limit ? rules[2] : -rules[3];
        }
        ++i;
        if (failures >= upper || slow >= upper) {
            decided = -1;
        }
        failures_open = failures > lower;
        slow_open = slow > lower;
        if (!failures_open && !slow_open) {
            decided = 1;
        }
    }
    step[trace] = i;
    verdict[trace] = decided;
}

extern "C" void solve(
    const float* lat, const unsigned char* ok, const int* rules, int* step, int* verdict, int traces, int n, int warm
) {
    decide<<<(traces + kThreads - 1) / kThreads, kThreads>>>(lat, ok, rules, step, verdict, traces, n, warm);
}
