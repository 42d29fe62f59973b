// Races in blocks of 64 threads of several warps: in loops, without loops, and in library code. solve runs program `which`.
#include <cuda_runtime.h>
#include <cub/block/block_reduce.cuh>

constexpr int kThreads = 64;

__global__ void loop_end(const int* x, int* out, int n) {
    __shared__ int tile[kThreads];
    int sum = 0;
    for (int first = 0; first < n; first += kThreads) {
        tile[threadIdx.x] = x[first + threadIdx.x];  // loop_end: upper
        __syncthreads();
        for (int j = 0; j < kThreads; ++j) sum += tile[(threadIdx.x + 40 + j) % kThreads];  // loop_end: lower
    }
    if (threadIdx.x < 16) out[threadIdx.x] = sum;
}

__global__ void unrolled(const int* x, int* out, int n) {
    __shared__ int tile[kThreads];
    int sum = 0;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        tile[threadIdx.x] = x[r * kThreads + threadIdx.x];  // unrolled: upper
        __syncthreads();
        sum += tile[(threadIdx.x + 40) % kThreads];  // unrolled: lower
    }
    if (threadIdx.x < 16) out[threadIdx.x] = sum;
}

__global__ void both(const int* x, int* out, int n) {
    __shared__ int tile[kThreads];
    int sum = 0;
    for (int first = 0; first < n; first += kThreads) {
        tile[threadIdx.x] = x[first + threadIdx.x];  // both: upper
        sum += tile[(threadIdx.x + 40) % kThreads];  // both: lower
    }
    if (threadIdx.x < 16) out[threadIdx.x] = sum;
}

__global__ void one_line(const int* x, int* out, int n) {
    __shared__ int tile[kThreads];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    for (int r = 1; r < n / 4; r *= 4) {
        tile[threadIdx.x] += tile[(threadIdx.x + 32 + r) % kThreads];  // one_line: upper
    }
    if (threadIdx.x < 16) out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void straight(const int* x, int* out, int n) {
    __shared__ int tile[kThreads];
    tile[threadIdx.x] = x[threadIdx.x];  // straight: upper
    if (threadIdx.x < 16) out[threadIdx.x] = tile[(threadIdx.x + 40) % kThreads];  // straight: lower
}

__device__ void put(int* tile, int value) {
    tile[threadIdx.x] = value;
}

__device__ int get(const int* tile) {
    return tile[(threadIdx.x + 40) % kThreads];
}

__global__ void helpers(const int* x, int* out, int n) {
    __shared__ int tile[kThreads];
    put(tile, x[threadIdx.x]);  // helpers: upper
    if (threadIdx.x < 16) out[threadIdx.x] = get(tile);  // helpers: lower
}

__global__ void neighbours(const int* x, int* out, int n) {
    __shared__ int tile[kThreads + 1];
    tile[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x == 0) tile[kThreads] = 0;
    __syncthreads();
    tile[threadIdx.x] = tile[threadIdx.x + 1];  // neighbours: upper
    __syncthreads();
    if (threadIdx.x < 16) out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void within_warp(const int* x, int* out, int n) {
    __shared__ int tile[kThreads];
    tile[threadIdx.x] = x[threadIdx.x];  // within_warp: upper
    if (threadIdx.x < 16) out[threadIdx.x] = tile[threadIdx.x + 1];  // within_warp: lower
}

// Not inlined, so that its lines in the header have no caller in their own function.
__noinline__ __device__ int total(int value) {
    using Reduce = cub::BlockReduce<int, kThreads>;
    __shared__ typename Reduce::TempStorage temporary;
    return Reduce(temporary).Sum(value);  // library
}

__global__ void library(const int* x, int* out, int n) {
    int sum = 0;
    for (int r = 0; r < 3; ++r) sum += total(x[threadIdx.x] + r);
    if (threadIdx.x < 16) out[threadIdx.x] = sum;
}

__global__ void recursion(const int* x, int* out, int n) {
    using Reduce = cub::BlockReduce<int, kThreads>;
    __shared__ typename Reduce::TempStorage temporary;
    int first = Reduce(temporary).Sum(x[threadIdx.x]);  // recursion
    int second = Reduce(temporary).Sum(x[threadIdx.x + kThreads]);  // recursion
    if (threadIdx.x < 16) out[threadIdx.x] = first + second;
}

__global__ void clean(const int* x, int* out, int n) {
    if (threadIdx.x < 16) out[threadIdx.x] = x[threadIdx.x];
}

extern "C" void solve(const int* x, int* out, int n, int which) {
    using Program = void (*)(const int*, int*, int);
    const Program programs[] = {loop_end, unrolled,   both,    one_line,  straight,
                                helpers,  neighbours, within_warp, library, recursion, clean};
    programs[which]<<<1, kThreads>>>(x, out, n);
}
