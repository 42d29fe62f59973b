// Wrong: zero is not the neutral element of the minimum. All values are greater, so the result is zero. Begin with infinity or
// with the first element.
#include <cuda_runtime.h>

constexpr int kBuffers = 3;
constexpr int kChunk = 4096;
constexpr int kThreads = 256;

struct Stats {
    double sum, squares, least, most;
};

__host__ __device__ inline Stats nothing() { return {0.0, 0.0, 0.0, 0.0}; }

__host__ __device__ inline Stats joined(const Stats& a, const Stats& b) {
    return {a.sum + b.sum, a.squares + b.squares, a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most};
}

__global__ void clear(Stats* total) { *total = nothing(); }

// One block: adds a chunk to the total.
__global__ void add_chunk(const float* chunk, int count, Stats* total) {
    __shared__ Stats parts[kThreads];
    Stats own = nothing();
    for (int i = threadIdx.x; i < count; i += kThreads) {
        double value = chunk[i];
        own = joined(own, {value, value * value, value, value});
    }
    parts[threadIdx.x] = own;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) parts[threadIdx.x] = joined(parts[threadIdx.x], parts[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) *total = joined(*total, parts[0]);
}

extern "C" void solve(const float* x, double* stats, int n) {
    cudaStream_t streams[kBuffers];
    float* buffers[kBuffers];
    Stats *totals, *results;
    cudaMalloc(&totals, kBuffers * sizeof(Stats));
    cudaMallocHost(&results, kBuffers * sizeof(Stats));
    for (int b = 0; b < kBuffers; ++b) {
        cudaStreamCreateWithFlags(&streams[b], cudaStreamNonBlocking);
        cudaMalloc(&buffers[b], kChunk * sizeof(float));
        clear<<<1, 1, 0, streams[b]>>>(totals + b);
    }
    for (int first = 0, k = 0; first < n; first += kChunk, ++k) {
        int b = k % kBuffers, count = n - first < kChunk ? n - first : kChunk;
        cudaMemcpyAsync(buffers[b], x + first, count * sizeof(float), cudaMemcpyHostToDevice, streams[b]);
        add_chunk<<<1, kThreads, 0, streams[b]>>>(buffers[b], count, totals + b);
    }
    Stats all = nothing();
    for (int b = 0; b < kBuffers; ++b) {
        cudaMemcpyAsync(results + b, totals + b, sizeof(Stats), cudaMemcpyDeviceToHost, streams[b]);
    }
    for (int b = 0; b < kBuffers; ++b) {
        cudaStreamSynchronize(streams[b]);
        all = joined(all, results[b]);
        cudaStreamDestroy(streams[b]);
        cudaFree(buffers[b]);
    }
    cudaFree(totals);
    cudaFreeHost(results);
    stats[0] = all.sum;
    stats[1] = all.squares;
    stats[2] = all.least;
    stats[3] = all.most;
}
