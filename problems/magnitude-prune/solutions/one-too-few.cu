// Wrong: only weights above the threshold are kept. The threshold is itself one of the `keep` greatest magnitudes, so
// at least one weight is missing.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kRun = 8 * kThreads;  // weights per block when ties are numbered
constexpr unsigned kAll = 0xffffffffu;

__device__ unsigned bins[256];
__device__ unsigned prefix, known, places;

__device__ unsigned magnitude(float weight) { return __float_as_uint(weight) & 0x7fffffffu; }

__global__ void begin(int keep) {
    bins[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        prefix = 0;
        known = 0;
        places = keep;
    }
}

__global__ void count(const float* w, int n, int shift) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
        unsigned key = magnitude(w[i]);
        if ((key & known) == prefix) {
            atomicAdd(&own[key >> shift & 255], 1);
        }
    }
    __syncthreads();
    if (own[threadIdx.x]) {
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
    }
}

__global__ void choose(int shift) {
    int digit = 255;
    while (bins[digit] < places) {
        places -= bins[digit--];
    }
    prefix |= unsigned(digit) << shift;
    known |= 255u << shift;
    for (int bin = 0; bin < 256; ++bin) {
        bins[bin] = 0;
    }
}

__global__ void count_ties(const float* w, unsigned* ties, int n) {
    unsigned sum = 0;
    for (int step = 0; step < kRun; step += kThreads) {
        int i = blockIdx.x * kRun + step + threadIdx.x;
        sum += __syncthreads_count(i < n && magnitude(w[i]) == prefix);
    }
    if (threadIdx.x == 0) {
        ties[blockIdx.x] = sum;
    }
}

// One warp replaces each count by the sum of those before it.
__global__ void scan(unsigned* ties, int count) {
    int lane = threadIdx.x;
    unsigned before = 0;
    for (int first = 0; first < count; first += 32) {
        unsigned own = first + lane < count ? ties[first + lane] : 0;
        unsigned sum = own;
        for (int distance = 1; distance < 32; distance *= 2) {
            unsigned other = __shfl_up_sync(kAll, sum, distance);
            sum += lane >= distance ? other : 0;
        }
        if (first + lane < count) {
            ties[first + lane] = before + sum - own;
        }
        before += __shfl_sync(kAll, sum, 31);
    }
}

__global__ void mark(const float* w, const unsigned* ties, unsigned char* mask, int n) {
    __shared__ unsigned warps[kThreads / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned before = ties[blockIdx.x];
    for (int step = 0; step < kRun; step += kThreads) {
        int i = blockIdx.x * kRun + step + threadIdx.x;
        unsigned key = i < n ? magnitude(w[i]) : 0;
        bool tie = i < n && key == prefix;
        unsigned lanes = __ballot_sync(kAll, tie);
        if (lane == 0) {
            warps[warp] = __popc(lanes);
        }
        __syncthreads();
        unsigned number = before + __popc(lanes & ((1u << lane) - 1));
        for (int other = 0; other < kThreads / 32; ++other) {
            number += other < warp ? warps[other] : 0;
            before += warps[other];
        }
        __syncthreads();
        if (i < n) {
            mask[i] = key > prefix;
        }
    }
}

extern "C" void solve(const float* w, unsigned char* mask, int n, int keep) {
    static unsigned* ties = nullptr;
    if (!ties) {
        cudaMalloc(&ties, ((1u << 31) / kRun + 1) * sizeof(unsigned));
    }
    int blocks = (n + kThreads - 1) / kThreads;
    int runs = (n + kRun - 1) / kRun;
    begin<<<1, 256>>>(keep);
    for (int shift = 24; shift >= 0; shift -= 8) {
        count<<<blocks < 1024 ? blocks : 1024, kThreads>>>(w, n, shift);
        choose<<<1, 1>>>(shift);
    }
    count_ties<<<runs, kThreads>>>(w, ties, n);
    scan<<<1, 32>>>(ties, runs);
    mark<<<runs, kThreads>>>(w, ties, mask, n);
}
