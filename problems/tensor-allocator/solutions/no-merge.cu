// Wrong: free blocks are split but never merged. After a while there are only small ones, and a large tensor finds no place although
// neighbours together would suffice: the memory is fragmented. Short traces do not show it.
#include <cuda_runtime.h>

constexpr int kMost = 256;  // blocks

__global__ void place(const int* op, const long long* bytes, long long* offset, int traces, int events) {
    int trace = blockIdx.x * blockDim.x + threadIdx.x;
    if (trace >= traces) return;
    long long begin[kMost], size[kMost];
    int owner[kMost];  // -1: free
    int blocks = 0;
    long long top = 0;
    for (int event = 0; event < events; ++event) {
        long long i = static_cast<long long>(trace) * events + event;
        int freed = op[i];
        if (freed >= 0) {
            for (int block = 0; block < blocks; ++block) {
                if (owner[block] == freed) owner[block] = -1;
            }
            offset[i] = -1;
            continue;
        }
        long long need = (bytes[i] + 511) / 512 * 512;
        int best = -1;
        for (int block = 0; block < blocks; ++block) {
            bool fits = owner[block] < 0 && size[block] >= need;
            if (fits && (best < 0 || size[block] < size[best])) best = block;
        }
        if (best < 0) {
            best = blocks++;
            begin[best] = top;
            size[best] = need;
            top += need;
        }
        if (size[best] > need) {
            begin[blocks] = begin[best] + need;
            size[blocks] = size[best] - need;
            owner[blocks] = -1;
            ++blocks;
            size[best] = need;
        }
        owner[best] = event;
        offset[i] = begin[best];
    }
}

extern "C" void solve(const int* op, const long long* bytes, long long* offset, int traces, int events) {
    place<<<(traces + 63) / 64, 64>>>(op, bytes, offset, traces, events);
}
