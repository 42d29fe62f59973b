// Wrong: lower precision. Times since the start of a clock have twelve digits or more, and float32 holds seven: near
// 10^12 its numbers are 65,536 apart. Subtract the first start before you round, or stay in float64.
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

__global__ void summarise(const double* start, const double* dur, const int* stream, Ends* totals, int n, int run) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    long long first = (long long)thread * run;
    Ends ends = {0.0, -1, 0.0};
    for (long long i = first; i < min(first + run, (long long)n); ++i) {
        ends = merge(ends, {float(start[i]) + float(dur[i]), stream[i], 0.0});
    }
    totals[thread] = ends;
}

// Replaces each total by what came before it, and leaves the merged totals of all in the last place.
__global__ void scan(Ends* totals, double* busy, double* overlap, int count) {
    Ends before = {0.0, -1, 0.0};
    for (int i = 0; i < count; ++i) {
        Ends own = totals[i];
        totals[i] = before;
        before = merge(before, own);
    }
    totals[count] = before;
    *busy = 0.0;
    *overlap = 0.0;
}

__global__ void add_up(const double* start, const double* dur, const int* stream, const Ends* totals, double* busy,
                       double* overlap, int n, int run) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    long long first = (long long)thread * run;
    Ends ends = totals[thread];
    double active = 0.0, together = 0.0;
    for (long long i = first; i < min(first + run, (long long)n); ++i) {
        ends = merge(ends, {float(start[i]) + float(dur[i]), stream[i], 0.0});
        double next = i + 1 < n ? float(start[i + 1]) : kNever;
        active += fmax(fmin(next, ends.latest) - float(start[i]), 0.0);
        together += fmax(fmin(next, ends.second) - float(start[i]), 0.0);
    }
    atomicAdd(busy, active);
    atomicAdd(overlap, together);
}

__global__ void subtract(const double* start, const Ends* all, const double* busy, double* idle) {
    *idle = all->latest - start[0] - *busy;
}

extern "C" void solve(const double* start, const double* dur, const int* stream, double* busy, double* overlap,
                      double* idle, int n, int streams) {
    constexpr int kThreads = 128;
    int run = n / 16384 + 16;
    int blocks = ((n + run - 1) / run + kThreads - 1) / kThreads;
    int count = blocks * kThreads;
    static Ends* totals = nullptr;
    if (!totals) {
        cudaMalloc(&totals, 32768 * sizeof(Ends));
    }
    summarise<<<blocks, kThreads>>>(start, dur, stream, totals, n, run);
    scan<<<1, 1>>>(totals, busy, overlap, count);
    add_up<<<blocks, kThreads>>>(start, dur, stream, totals, busy, overlap, n, run);
    subtract<<<1, 1>>>(start, totals + count, busy, idle);
}
