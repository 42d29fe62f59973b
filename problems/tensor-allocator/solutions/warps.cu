// First fit with a warp for each trace. Lane k holds the k-th lowest live tensor, so each lane knows the gap below its tensor.
// A vote finds the first gap that suffices, and shuffles insert and remove tensors.
//
// What bounds it: latency of the shuffles, about 20 per event, for 32 lanes at once and without local memory. The lanes load and
// store 32 events together, so all accesses are coalesced.
#include <cuda_runtime.h>

constexpr unsigned kAll = 0xffffffffu;
constexpr long long kFar = 1ll << 60;

__global__ void place(const int* op, const long long* bytes, long long* offset, int traces, int events) {
    int trace = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (trace >= traces) return;
    long long start = static_cast<long long>(trace) * events;
    long long begin = kFar, end = kFar;  // no tensor
    int owner = -1;
    for (int first = 0; first < events; first += 32) {
        bool mine = first + lane < events;
        int my_op = mine ? op[start + first + lane] : 0;
        long long my_bytes = mine ? bytes[start + first + lane] : 0;
        long long my_offset = -1;
        int count = min(32, events - first);
        for (int event = 0; event < count; ++event) {
            int freed = __shfl_sync(kAll, my_op, event);
            long long need = (__shfl_sync(kAll, my_bytes, event) + 511) / 512 * 512;
            if (freed >= 0) {
                int hole = __ffs(__ballot_sync(kAll, owner == freed)) - 1;
                long long next_begin = __shfl_down_sync(kAll, begin, 1), next_end = __shfl_down_sync(kAll, end, 1);
                int next_owner = __shfl_down_sync(kAll, owner, 1);
                if (lane >= hole) {  // lane 31 never holds a tensor, and keeps its values
                    begin = next_begin;
                    end = next_end;
                    owner = next_owner;
                }
                continue;
            }
            long long below = __shfl_up_sync(kAll, end, 1);
            if (lane == 0) below = 0;
            int slot = __ffs(__ballot_sync(kAll, below < kFar && begin - below >= need)) - 1;
            long long at = __shfl_sync(kAll, below, slot);
            long long previous_begin = __shfl_up_sync(kAll, begin, 1);
            int previous_owner = __shfl_up_sync(kAll, owner, 1);
            if (lane > slot) {
                begin = previous_begin;
                end = below;
                owner = previous_owner;
            }
            if (lane == slot) {
                begin = at;
                end = at + need;
                owner = first + event;
            }
            if (lane == event) my_offset = at;
        }
        if (mine) offset[start + first + lane] = my_offset;
    }
}

extern "C" void solve(const int* op, const long long* bytes, long long* offset, int traces, int events) {
    place<<<(traces + 3) / 4, 128>>>(op, bytes, offset, traces, events);
}
