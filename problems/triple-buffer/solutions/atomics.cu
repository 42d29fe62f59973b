// One total for three streams, by atomic operations of one thread per chunk. The default stream clears it before them and
// copies it after them, because ordinary streams wait for the default stream and it waits for them. Bound by the link.
#include <cuda_runtime.h>

constexpr int kBuffers = 3;
constexpr int kChunk = 4096;
constexpr int kThreads = 256;

struct Stats {
    double sum, squares, least, most;
};

__host__ __device__ inline Stats nothing() { return {0.0, 0.0, 1e300, -1e300}; }

__host__ __device__ inline Stats joined(const Stats& a, const Stats& b) {
    return {a.sum + b.sum, a.squares + b.squares, a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most};
}

__global__ void clear(Stats* total) { *total = {0.0, 0.0, 1e300, 0.0}; }

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
    if (threadIdx.x == 0) {
        atomicAdd(&total->sum, parts[0].sum);
        atomicAdd(&total->squares, parts[0].squares);
        // The bits of positive numbers are ordered as the numbers are.
        atomicMin(reinterpret_cast<long long*>(&total->least), __double_as_longlong(parts[0].least));
        atomicMax(reinterpret_cast<long long*>(&total->most), __double_as_longlong(parts[0].most));
    }
}

extern "C" void solve(const float* x, double* stats, int n) {
    cudaStream_t streams[kBuffers];
    float* buffers[kBuffers];
    Stats* total;
    cudaMalloc(&total, sizeof(Stats));
    clear<<<1, 1>>>(total);
    for (int b = 0; b < kBuffers; ++b) {
        cudaStreamCreate(&streams[b]);  // which waits for the default stream, and so for the clearing
        cudaMalloc(&buffers[b], kChunk * sizeof(float));
    }
    for (int first = 0, k = 0; first < n; first += kChunk, ++k) {
        int b = k % kBuffers, count = n - first < kChunk ? n - first : kChunk;
        cudaMemcpyAsync(buffers[b], x + first, count * sizeof(float), cudaMemcpyHostToDevice, streams[b]);
        add_chunk<<<1, kThreads, 0, streams[b]>>>(buffers[b], count, total);
    }
    cudaMemcpyAsync(stats, total, sizeof(Stats), cudaMemcpyDeviceToHost);  // after the work of all streams
    cudaDeviceSynchronize();
    for (int b = 0; b < kBuffers; ++b) {
        cudaStreamDestroy(streams[b]);
        cudaFree(buffers[b]);
    }
    cudaFree(total);
}
