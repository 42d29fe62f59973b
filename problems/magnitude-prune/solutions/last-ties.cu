// Wrong: the index is appended as it is. Of equal magnitudes the greatest index then has the greatest key, and the
// last ties stay instead of the first.
#include <cuda_runtime.h>

using Key = unsigned long long;
constexpr int kThreads = 256;

__device__ unsigned bins[256];
__device__ Key prefix, known;
__device__ unsigned places;

// The greater the magnitude, and then the smaller the index, the greater the key.
__device__ Key key_of(float weight, unsigned i) {
    return Key(__float_as_uint(weight) & 0x7fffffffu) << 32 | i;
}

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
        Key key = key_of(w[i], i);
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
    prefix |= Key(digit) << shift;
    known |= Key(255) << shift;
    for (int bin = 0; bin < 256; ++bin) {
        bins[bin] = 0;
    }
}

__global__ void mark(const float* w, unsigned char* mask, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) {
        mask[i] = key_of(w[i], i) >= prefix;
    }
}

extern "C" void solve(const float* w, unsigned char* mask, int n, int keep) {
    int blocks = (n + kThreads - 1) / kThreads;
    begin<<<1, 256>>>(keep);
    for (int shift = 56; shift >= 0; shift -= 8) {
        count<<<blocks < 1024 ? blocks : 1024, kThreads>>>(w, n, shift);
        choose<<<1, 1>>>(shift);
    }
    mark<<<blocks, kThreads>>>(w, mask, n);
}
