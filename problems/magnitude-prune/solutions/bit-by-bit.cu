// The threshold bit by bit: a bit is 1 if at least `keep` keys reach the prefix with it. The index, inverted, ends
// the key. Bound by memory: 31 passes for the magnitude and one per bit of the index, about 230 bytes per weight.
#include <cuda_runtime.h>

using Key = unsigned long long;
constexpr int kThreads = 256;

__device__ unsigned reached;
__device__ Key threshold;

// `last` is a power of two above all indices, minus one.
__device__ Key key_of(float weight, unsigned i, unsigned last) {
    return Key(__float_as_uint(weight) & 0x7fffffffu) * (Key(last) + 1) + (last - i);
}

__global__ void begin() {
    reached = 0;
    threshold = 0;
}

__global__ void count(const float* w, int n, unsigned last, int bit) {
    Key candidate = threshold | Key(1) << bit;
    unsigned own = 0;
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
        own += key_of(w[i], i, last) >= candidate;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        own += __shfl_xor_sync(0xffffffffu, own, offset);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&reached, own);
    }
}

__global__ void choose(int keep, int bit) {
    if (reached >= keep) {
        threshold |= Key(1) << bit;
    }
    reached = 0;
}

__global__ void mark(const float* w, unsigned char* mask, int n, unsigned last) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) {
        mask[i] = key_of(w[i], i, last) >= threshold;
    }
}

extern "C" void solve(const float* w, unsigned char* mask, int n, int keep) {
    int bits = 0;
    while ((1LL << bits) < n) {
        ++bits;
    }
    unsigned last = (1LL << bits) - 1;
    int blocks = (n + kThreads - 1) / kThreads;
    int strides = (blocks + 31) / 32;  // 32 weights per thread while counting
    begin<<<1, 1>>>();
    for (int bit = 30 + bits; bit >= 0; --bit) {
        count<<<strides, kThreads>>>(w, n, last, bit);
        choose<<<1, 1>>>(keep, bit);
    }
    mark<<<blocks, kThreads>>>(w, mask, n, last);
}
