// A thread for each trace simulates every step as the rules say it, with a list of the waiting requests and the number of times that each has been passed.
// It looks at the list only in steps in which a request arrives or leaves.
//
// What bounds it: latency, and the number of steps. In most of them nothing changes.
#include <cuda_runtime.h>

constexpr int kThreads = 64;
constexpr int kMostPlaces = 32;
constexpr int kMost = 512;  // requests of a trace

__global__ void schedule(
    const int* arrive, const int* prompt, const int* answer, int* first, int* last,
    int traces, int n, int places, int budget, int chunk, int patience
) {
    const int trace = blockIdx.x * kThreads + threadIdx.x;
    if (trace >= traces) return;
    const size_t base = size_t(trace) * n;
    int runs[kMostPlaces];        // which requests run
    short queue[kMost];           // which ones wait, in their order
    unsigned char passed[kMost];  // and how often each has been passed
    int running = 0, waiting = 0, arrived = 0;
    for (int now = 0; arrived < n || waiting > 0; ++now) {
        int left = 0, room = budget;
        for (int p = 0; p < running; ++p) {
            const int i = runs[p];
            if (last[base + i] < now) continue;
            runs[left++] = i;
            room -= prompt[base + i] + answer[base + i];
        }
        bool changed = left < running;
        running = left;
        for (; arrived < n && arrive[base + arrived] <= now; ++arrived) {
            queue[waiting] = arrived;
            passed[waiting++] = 0;
            changed = true;
        }
        if (!changed) continue;

        bool closed = false;  // a request that stays behind has no more patience
        int kept = 0;
        for (int q = 0; q < waiting; ++q) {
            const int i = queue[q], need = prompt[base + i] + answer[base + i];
            if (!closed && running < places && need <= room) {
                first[base + i] = now + (prompt[base + i] + chunk - 1) / chunk - 1;
                last[base + i] = first[base + i] + answer[base + i] - 1;
                runs[running++] = i;
                room -= need;
                for (int r = 0; r < kept; ++r) {
                    if (++passed[r] >= patience) closed = true;
                }
            } else {
                queue[kept] = i;
                passed[kept] = passed[q];
                if (passed[kept++] >= patience) closed = true;
            }
        }
        waiting = kept;
    }
}

extern "C" void solve(
    const int* arrive, const int* prompt, const int* answer, int* first, int* last,
    int traces, int n, int places, int budget, int chunk, int patience
) {
    schedule<<<(traces - 1) / kThreads + 1, kThreads>>>(
        arrive, prompt, answer, first, last, traces, n, places, budget, chunk, patience
    );
}
