// A warp for each trace. Each lane has a place: its departure and its memory. The next event is a minimum by shuffles. 32 waiting requests are examined at
// once: each lane says whether its own could be admitted, and the first of them is.
//
// What bounds it: latency, but a step of the chain is short, and neighbouring lanes load neighbouring requests.
#include <cuda_runtime.h>

constexpr int kWarps = 4;   // of a block
constexpr int kFar = 1 << 30;
constexpr unsigned kAll = 0xffffffffu;

__device__ int least(int value) {
    for (int distance = 16; distance > 0; distance /= 2) value = min(value, __shfl_xor_sync(kAll, value, distance));
    return value;
}

__device__ int total(int value) {
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(kAll, value, distance);
    return value;
}

__global__ void schedule(
    const int* arrive, const int* prompt, const int* answer, int* first, int* last,
    int traces, int n, int places, int budget, int chunk, int patience
) {
    const int lane = threadIdx.x % 32, trace = blockIdx.x * kWarps + threadIdx.x / 32;
    if (trace >= traces) return;
    const size_t base = size_t(trace) * n;
    int end = -1, held = 0;  // of this lane's place
    unsigned taken = 0;      // lane w has the bits of the requests from 32 w on
    int arrived = 0, head = 0, admitted = 0, now = 0;
    while (admitted < n) {
        if (end < now) held = 0;
        int room = budget - total(held);
        unsigned open = __ballot_sync(kAll, lane < places && held == 0);

        for (int word = head / 32; word * 32 < n && open; ++word) {
            const int i = word * 32 + lane;
            const bool here = i < n && arrive[base + i] <= now;
            const int asks = here ? prompt[base + i] : 0;
            const int gives = here ? answer[base + i] : 0;
            while (open) {
                const unsigned bits = __shfl_sync(kAll, taken, word);
                const bool may = i == head || admitted - head < patience;
                const unsigned fit = __ballot_sync(kAll, here && may && !(bits >> lane & 1) && asks + gives <= room);
                if (fit == 0) break;
                const int chosen = __ffs(fit) - 1, place = __ffs(open) - 1;
                const int begins = now + (asks - 1) / chunk, finishes = begins + gives - 1;
                if (lane == chosen) {
                    first[base + i] = begins;
                    last[base + i] = finishes;
                }
                const int its_end = __shfl_sync(kAll, finishes, chosen);
                const int its_need = __shfl_sync(kAll, asks + gives, chosen);
                if (lane == place) {
                    end = its_end;
                    held = its_need;
                }
                if (lane == word) taken |= 1u << chosen;
                open &= open - 1;
                room -= its_need;
                ++admitted;
                // The first lane whose requests are not all admitted has the head.
                const int behind = __ffs(__ballot_sync(kAll, taken != kAll)) - 1;
                head = behind * 32 + __ffs(~__shfl_sync(kAll, taken, behind)) - 1;
            }
            if (word * 32 + 31 >= n || __any_sync(kAll, i < n && !here)) break;
        }

        while (arrived < n) {
            const int i = arrived + lane;
            const unsigned came = __ballot_sync(kAll, i < n && arrive[base + i] <= now);
            arrived += __popc(came);
            if (came != kAll) break;
        }
        int next = held > 0 ? end + 1 : kFar;
        if (arrived < n) next = min(next, arrive[base + arrived]);
        now = least(next);
    }
}

extern "C" void solve(
    const int* arrive, const int* prompt, const int* answer, int* first, int* last,
    int traces, int n, int places, int budget, int chunk, int patience
) {
    schedule<<<(traces - 1) / kWarps + 1, kWarps * 32>>>(
        arrive, prompt, answer, first, last, traces, n, places, budget, chunk, patience
    );
}
