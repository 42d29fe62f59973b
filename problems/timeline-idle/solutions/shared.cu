// A block reads 256 consecutive intervals at a time and scans them in shared memory; one block scans the totals of
// all blocks. Bound by memory and barriers: coalesced loads, 40 bytes per interval, and two barriers in each of eight
// steps.
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

// The merged ends of threads 0 to the caller's, and of `before`. `shared` holds all of them afterwards.
__device__ Ends scan_block(Ends ends, Ends before, Ends* shared) {
    int thread = threadIdx.x;
    __syncthreads();  // all threads have read what the last scan left
    shared[thread] = thread == 0 ? merge(before, ends) : ends;
    __syncthreads();
    for (int distance = 1; distance < kThreads; distance *= 2) {
        Ends other = thread >= distance ? shared[thread - distance] : Ends{0.0, -1, 0.0};
        __syncthreads();
        shared[thread] = merge(other, shared[thread]);
        __syncthreads();
    }
    return shared[thread];
}

__device__ Ends load(const double* start, const double* dur, const int* stream, int i, int n) {
    return i < n ? Ends{start[i] + dur[i], stream[i], 0.0} : Ends{0.0, -1, 0.0};
}

__global__ void summarise(const double* start, const double* dur, const int* stream, Ends* totals, int n, int run) {
    __shared__ Ends shared[kThreads];
    Ends ends = {0.0, -1, 0.0};
    for (int at = threadIdx.x; at < run; at += kThreads) {  // the order within a run does not matter for its total
        ends = merge(ends, load(start, dur, stream, blockIdx.x * run + at, n));
    }
    ends = scan_block(ends, {0.0, -1, 0.0}, shared);
    if (threadIdx.x == kThreads - 1) {
        totals[blockIdx.x] = ends;
    }
}

// One block replaces each total by what came before it; the merged totals of all take the last place.
__global__ void scan_totals(Ends* totals, double* busy, double* overlap, int count) {
    __shared__ Ends shared[kThreads];
    Ends before = {0.0, -1, 0.0};
    for (int first = 0; first < count; first += kThreads) {
        int i = first + threadIdx.x;
        scan_block(i < count ? totals[i] : Ends{0.0, -1, 0.0}, before, shared);
        if (i < count) {
            totals[i] = threadIdx.x == 0 ? before : shared[threadIdx.x - 1];
        }
        before = shared[kThreads - 1];
    }
    if (threadIdx.x == 0) {
        totals[count] = before;
        *busy = 0.0;
        *overlap = 0.0;
    }
}

__global__ void add_up(const double* start, const double* dur, const int* stream, const Ends* totals, double* busy,
                       double* overlap, int n, int run) {
    __shared__ Ends shared[kThreads];
    Ends before = totals[blockIdx.x];
    double active = 0.0, together = 0.0;
    for (int at = 0; at < run; at += kThreads) {
        int i = blockIdx.x * run + at + threadIdx.x;
        Ends ends = scan_block(load(start, dur, stream, i, n), before, shared);
        before = shared[kThreads - 1];
        if (i < n) {
            double next = i + 1 < n ? start[i + 1] : kNever;
            active += fmax(fmin(next, ends.latest) - start[i], 0.0);
            together += fmax(fmin(next, ends.second) - start[i], 0.0);
        }
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        active += __shfl_xor_sync(0xffffffffu, active, offset);
        together += __shfl_xor_sync(0xffffffffu, together, offset);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(busy, active);
        atomicAdd(overlap, together);
    }
}

__global__ void subtract(const double* start, const Ends* all, const double* busy, double* idle) {
    *idle = all->latest - start[0] - *busy;
}

extern "C" void solve(const double* start, const double* dur, const int* stream, double* busy, double* overlap,
                      double* idle, int n, int streams) {
    int run = (n / 2048 / kThreads + 4) * kThreads;
    int blocks = (n + run - 1) / run;
    static Ends* totals = nullptr;
    if (!totals) {
        cudaMalloc(&totals, 4096 * sizeof(Ends));
    }
    summarise<<<blocks, kThreads>>>(start, dur, stream, totals, n, run);
    scan_totals<<<1, kThreads>>>(totals, busy, overlap, blocks);
    add_up<<<blocks, kThreads>>>(start, dur, stream, totals, busy, overlap, n, run);
    subtract<<<1, 1>>>(start, totals + blocks, busy, idle);
}
