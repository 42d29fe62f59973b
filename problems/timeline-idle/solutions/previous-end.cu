// Wrong: each kernel is compared with the one before it only. If that one lies within a longer kernel, the longer one
// is forgotten, and the gap after the short one counts as idle. Remember the latest end of all kernels so far.
#include <cuda_runtime.h>

__global__ void clear(double* busy, double* overlap) {
    *busy = 0.0;
    *overlap = 0.0;
}

__global__ void add_up(const double* start, const double* dur, const int* stream, double* busy, double* overlap,
                       int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    double end = start[i] + dur[i];
    double before = i > 0 ? start[i - 1] + dur[i - 1] : 0.0;
    atomicAdd(busy, fmax(end - fmax(start[i], before), 0.0));
    if (i > 0 && stream[i - 1] != stream[i]) {
        atomicAdd(overlap, fmax(fmin(end, before) - start[i], 0.0));
    }
}

__global__ void subtract(const double* start, const double* dur, const double* busy, double* idle, int n) {
    double end = 0.0;
    for (int i = 0; i < n; ++i) {
        end = fmax(end, start[i] + dur[i]);
    }
    *idle = end - start[0] - *busy;
}

extern "C" void solve(const double* start, const double* dur, const int* stream, double* busy, double* overlap,
                      double* idle, int n, int streams) {
    clear<<<1, 1>>>(busy, overlap);
    add_up<<<(n + 255) / 256, 256>>>(start, dur, stream, busy, overlap, n);
    subtract<<<1, 1>>>(start, dur, busy, idle, n);
}
