// A warp reads 32 consecutive intervals at a time and scans them by shuffles; the totals of the warps' runs are
// scanned by one warp. Bound by memory: coalesced loads, 40 bytes per interval, because totals and results are two
// passes.
#include <cuda_runtime.h>

constexpr double kNever = 1e300;

// The latest end, its stream, and the latest end on any other stream.
struct Ends {
    double latest;
    int stream;
    double second;
};

__device__ Ends merge(Ends a, Ends b) {
    if (b.latest > a.latest) {
        Ends kept = a;
        a = b;
        b = kept;
    }
    a.second = fmax(a.second, b.stream != a.stream ? b.latest : b.second);
    return a;
}

constexpr int kThreads = 256;
constexpr unsigned kAll = 0xffffffffu;

__device__ Ends shuffled_up(Ends ends, int distance) {
    return {__shfl_up_sync(kAll, ends.latest, distance), __shfl_up_sync(kAll, ends.stream, distance),
            __shfl_up_sync(kAll, ends.second, distance)};
}

// The merged ends of lanes 0 to the caller's, and of `before`.
__device__ Ends scan_warp(Ends ends, Ends before) {
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        ends = merge(before, ends);
    }
    for (int distance = 1; distance < 32; distance *= 2) {
        Ends other = shuffled_up(ends, distance);
        if (lane >= distance) {
            ends = merge(other, ends);
        }
    }
    return ends;
}

__device__ Ends last_lane(Ends ends) {
    return {__shfl_sync(kAll, ends.latest, 31), __shfl_sync(kAll, ends.stream, 31),
            __shfl_sync(kAll, ends.second, 31)};
}

__device__ Ends load(const double* start, const double* dur, const int* stream, int i, int n) {
    return i < n ? Ends{start[i] + dur[i], stream[i], 0.0} : Ends{0.0, -1, 0.0};
}

__global__ void summarise(const double* start, const double* dur, const int* stream, Ends* totals, int n, int run) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    Ends ends = {0.0, -1, 0.0};
    for (int at = 0; at < run; at += 32) {  // the order within a run does not matter for its total
        ends = merge(ends, load(start, dur, stream, warp * run + at + lane, n));
    }
    ends = scan_warp(ends, {0.0, -1, 0.0});
    if (lane == 31) {
        totals[warp] = ends;
    }
}

// One warp replaces each total by what came before it; the merged totals of all take the last place.
__global__ void scan_totals(Ends* totals, double* busy, double* overlap, int count) {
    int lane = threadIdx.x;
    Ends before = {0.0, -1, 0.0};
    for (int first = 0; first < count; first += 32) {
        int i = first + lane;
        Ends upto = scan_warp(i < count ? totals[i] : Ends{0.0, -1, 0.0}, before);
        Ends exclusive = shuffled_up(upto, 1);
        if (i < count) {
            totals[i] = lane == 0 ? before : exclusive;
        }
        before = last_lane(upto);
    }
    if (lane == 0) {
        totals[count] = before;
        *busy = 0.0;
        *overlap = 0.0;
    }
}

__global__ void add_up(const double* start, const double* dur, const int* stream, const Ends* totals, double* busy,
                       double* overlap, int n, int run) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    Ends before = totals[warp];
    double active = 0.0, together = 0.0;
    for (int at = 0; at < run; at += 32) {
        int i = warp * run + at + lane;
        Ends ends = scan_warp(load(start, dur, stream, i, n), before);
        before = last_lane(ends);
        if (i < n) {
            double next = i + 1 < n ? start[i + 1] : kNever;
            active += fmax(fmin(next, ends.latest) - start[i], 0.0);
            together += fmax(fmin(next, ends.second) - start[i], 0.0);
        }
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        active += __shfl_xor_sync(kAll, active, offset);
        together += __shfl_xor_sync(kAll, together, offset);
    }
    if (lane == 0) {
        atomicAdd(busy, active);
        atomicAdd(overlap, together);
    }
}

__global__ void subtract(const double* start, const Ends* all, const double* busy, double* idle) {
    *idle = all->latest - start[0] - *busy;
}

extern "C" void solve(const double* start, const double* dur, const int* stream, double* busy, double* overlap,
                      double* idle, int n, int streams) {
    constexpr int kWarps = kThreads / 32;
    int run = (n / 8192 / 32 + 8) * 32;
    int blocks = ((n + run - 1) / run + kWarps - 1) / kWarps;
    int count = blocks * kWarps;
    static Ends* totals = nullptr;
    if (!totals) {
        cudaMalloc(&totals, 16384 * sizeof(Ends));
    }
    summarise<<<blocks, kThreads>>>(start, dur, stream, totals, n, run);
    scan_totals<<<1, 32>>>(totals, busy, overlap, count);
    add_up<<<blocks, kThreads>>>(start, dur, stream, totals, busy, overlap, n, run);
    subtract<<<1, 1>>>(start, totals + count, busy, idle);
}
