// Wrong: takes the greatest value instead of the greatest magnitude. If the element farthest from zero is negative,
// the first scale is too small, and so are the candidates for the third. Data without negative elements hides it.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kChunk = 4096;  // elements of a block
constexpr int kCandidates = 32;

struct State {
    unsigned top;       // bits of the greatest magnitude
    unsigned selected;  // the digits of the percentile that are known
    int rank;           // among the elements that agree with them
    int counts[256];
    float errors[kCandidates];
};

__device__ unsigned magnitude(float x) { return __float_as_uint(x) & 0x7fffffffu; }

__global__ void begin(State* state, int rank) {
    state->counts[threadIdx.x] = 0;
    if (threadIdx.x < kCandidates) {
        state->errors[threadIdx.x] = 0.0f;
    }
    if (threadIdx.x == 0) {
        state->top = 0;
        state->selected = 0;
        state->rank = rank;
    }
}

__global__ void find_top(const float* x, State* state, int n) {
    __shared__ unsigned top;
    if (threadIdx.x == 0) {
        top = 0;
    }
    __syncthreads();
    unsigned most = 0;
    int last = min(n, int(blockIdx.x + 1) * kChunk);
    for (int i = blockIdx.x * kChunk + threadIdx.x; i < last; i += kThreads) {
        most = max(most, x[i] > 0.0f ? magnitude(x[i]) : 0u);
    }
    atomicMax(&top, most);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicMax(&state->top, top);
    }
}

__global__ void count_digits(const float* x, State* state, int n, int shift) {
    __shared__ int counts[256];
    counts[threadIdx.x] = 0;
    __syncthreads();
    unsigned known = 0xffffff00u << shift, selected = state->selected;
    int last = min(n, int(blockIdx.x + 1) * kChunk);
    for (int i = blockIdx.x * kChunk + threadIdx.x; i < last; i += kThreads) {
        unsigned bits = magnitude(x[i]);
        if ((bits & known) == selected) {
            atomicAdd(&counts[bits >> shift & 255], 1);
        }
    }
    __syncthreads();
    if (counts[threadIdx.x] > 0) {
        atomicAdd(&state->counts[threadIdx.x], counts[threadIdx.x]);
    }
}

__global__ void choose_digit(State* state, int shift) {
    int rank = state->rank, digit = 0;
    while (rank > state->counts[digit]) {
        rank -= state->counts[digit++];
    }
    state->rank = rank;
    state->selected |= unsigned(digit) << shift;
    for (int i = 0; i < 256; ++i) {
        state->counts[i] = 0;
    }
}

__global__ void add_errors(const float* x, State* state, int n) {
    __shared__ float sums[kThreads];
    float scale = __uint_as_float(state->top) / 127.0f * (blockIdx.y + 1) / kCandidates;
    float sum = 0.0f;
    int last = min(n, int(blockIdx.x + 1) * kChunk);
    for (int i = blockIdx.x * kChunk + threadIdx.x; i < last; i += kThreads) {
        float code = fminf(fmaxf(rintf(x[i] / scale), -127.0f), 127.0f);
        float error = x[i] - code * scale;
        sum += error * error;
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            sums[threadIdx.x] += sums[threadIdx.x + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(&state->errors[blockIdx.y], sums[0]);
    }
}

__global__ void finish(const State* state, float* scale) {
    int best = 0;
    for (int g = 1; g < kCandidates; ++g) {
        best = state->errors[g] < state->errors[best] ? g : best;
    }
    float top = __uint_as_float(state->top) / 127.0f;
    scale[0] = top;
    scale[1] = __uint_as_float(state->selected) / 127.0f;
    scale[2] = top * (best + 1) / kCandidates;
}

extern "C" void solve(const float* x, float* scale, int n, int rank) {
    State* state;
    cudaMalloc(&state, sizeof(State));
    int blocks = (n + kChunk - 1) / kChunk;
    begin<<<1, 256>>>(state, rank);
    find_top<<<blocks, kThreads>>>(x, state, n);
    for (int shift = 24; shift >= 0; shift -= 8) {
        count_digits<<<blocks, kThreads>>>(x, state, n, shift);
        choose_digit<<<1, 1>>>(state, shift);
    }
    add_errors<<<dim3(blocks, kCandidates), kThreads>>>(x, state, n);
    finish<<<1, 1>>>(state, scale);
    cudaFree(state);
}
