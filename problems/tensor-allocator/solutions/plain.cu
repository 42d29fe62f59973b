// Best fit. A thread for each trace holds its live tensors in any order. A gap begins at 0 or at the end of a tensor, and ends
// at the nearest tensor above. The smallest gap that suffices is taken.
//
// What bounds it: latency. Finding the gaps compares each tensor with each other, up to 1000 steps per event, on arrays in
// local memory. Threads of a warp read events that are a whole trace apart, so no access is coalesced.
#include <cuda_runtime.h>

constexpr int kMost = 31;  // live tensors
constexpr long long kFar = 1ll << 60;

__global__ void place(const int* op, const long long* bytes, long long* offset, int traces, int events) {
    int trace = blockIdx.x * blockDim.x + threadIdx.x;
    if (trace >= traces) return;
    // The first entry is not a tensor: the gap at 0 begins at its end.
    long long begin[kMost + 1] = {-1}, end[kMost + 1] = {0};
    int owner[kMost + 1] = {-1};
    int live = 1;
    for (int event = 0; event < events; ++event) {
        long long i = static_cast<long long>(trace) * events + event;
        int freed = op[i];
        if (freed >= 0) {
            for (int slot = 0; slot < live; ++slot) {
                if (owner[slot] != freed) continue;
                --live;
                begin[slot] = begin[live];
                end[slot] = end[live];
                owner[slot] = owner[live];
            }
            offset[i] = -1;
            continue;
        }
        long long need = (bytes[i] + 511) / 512 * 512;
        long long at = 0, smallest = 2 * kFar;
        for (int candidate = 0; candidate < live; ++candidate) {
            long long from = end[candidate], to = kFar;
            for (int slot = 0; slot < live; ++slot) {
                if (begin[slot] >= from && begin[slot] < to) to = begin[slot];
            }
            if (to - from >= need && to - from < smallest) {
                smallest = to - from;
                at = from;
            }
        }
        begin[live] = at;
        end[live] = at + need;
        owner[live] = event;
        ++live;
        offset[i] = at;
    }
}

extern "C" void solve(const int* op, const long long* bytes, long long* offset, int traces, int events) {
    place<<<(traces + 63) / 64, 64>>>(op, bytes, offset, traces, events);
}
