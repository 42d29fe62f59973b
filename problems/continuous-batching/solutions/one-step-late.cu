// A request leaves after its last step, so its place and memory are free in the next one. Here they are free one step later.
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
    int now = 0;
    while (admitted < n) {
        for (int p = running - 1; p >= 0; --p) {
            if (ends[p] + 1 >= now) continue;
            room += held[p];
            --running;
            ends[p] = ends[running];
            held[p] = held[running];
        }
        while (arrived < n && arrive[base + arrived] <= now) ++arrived;

        for (int i = head; i < arrived && running < places; ++i) {
            if (taken.has(i)) continue;
            if (i != head && admitted - head >= patience) break;  // all others have passed the head
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
            while (head < n && taken.has(head)) ++head;
        }

        int next = kFar;
        if (arrived < n) next = arrive[base + arrived];
        for (int p = 0; p < running; ++p) next = min(next, ends[p] + 2);
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
