// One pass over the logits in pairs, with a running maximum and sum that are merged by shuffles.
//
// What bounds it: DRAM bandwidth. Each logit is read once. A second exponential is needed only when the
// maximum grows, which is rare. If v is odd, every second row is not aligned to 4 bytes, so the first element
// is taken alone.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kThreads = 256;

struct Tail {
    float most, sum;  // the sum of exp(z - most)
};

__device__ Tail merge(Tail a, Tail b) {
    if (b.sum == 0.0f) {
        return a;
    }
    float most = fmaxf(a.most, b.most);
    return {most, a.sum * expf(a.most - most) + b.sum * expf(b.most - most)};
}

__device__ void take(Tail& own, float z) {
    if (z > own.most) {
        own.sum *= expf(own.most - z);
        own.most = z;
    }
    own.sum += expf(z - own.most);
}

__device__ Tail merge_warp(Tail own) {
    for (int offset = 16; offset > 0; offset /= 2) {
        Tail other = {__shfl_xor_sync(0xffffffffu, own.most, offset), __shfl_xor_sync(0xffffffffu, own.sum, offset)};
        own = merge(own, other);
    }
    return own;
}

__global__ void score_tokens(const __half* logits, const int* tokens, const int* span, float* likely, int t, int v) {
    __shared__ Tail warps[kThreads / 32];
    int sequence = blockIdx.y, place = span[2 * sequence] + blockIdx.x;
    if (place >= span[2 * sequence + 1]) {
        return;
    }
    int row = sequence * t + place;
    const __half* in = logits + size_t(row) * v;
    int odd = size_t(row) * v % 2, pairs = (v - odd) / 2;
    const __half2* in2 = reinterpret_cast<const __half2*>(in + odd);
    Tail own = {-INFINITY, 0.0f};
    for (int i = threadIdx.x; i < pairs; i += kThreads) {
        float2 pair = __half22float2(in2[i]);
        take(own, pair.x);
        take(own, pair.y);
    }
    if (threadIdx.x == 0 && odd) {
        take(own, __half2float(in[0]));
    }
    if (threadIdx.x == 0 && odd + 2 * pairs < v) {
        take(own, __half2float(in[v - 1]));
    }
    own = merge_warp(own);
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = own;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < kThreads / 32; ++warp) {
            own = merge(own, warps[warp]);
        }
        likely[row] = __half2float(in[tokens[row]]) - own.most - logf(own.sum);
    }
}

__global__ void choose(const float* likely, const int* span, float* score, int* pick, int questions, int t) {
    int question = blockIdx.x * blockDim.x + threadIdx.x;
    if (question >= questions) {
        return;
    }
    int best = 0;
    float greatest = -INFINITY;
    for (int choice = 0; choice < 4; ++choice) {
        int sequence = 4 * question + choice, first = span[2 * sequence], last = span[2 * sequence + 1];
        float sum = 0.0f;
        for (int place = first; place < last; ++place) {
            sum += likely[sequence * t + place];
        }
        float mean = sum / (last - first);
        score[sequence] = mean;
        if (mean > greatest) {
            greatest = mean;
            best = choice;
        }
    }
    pick[question] = best;
}

extern "C" void solve(const __half* logits, const int* tokens, const int* span, float* score, int* pick, int questions,
                      int t, int v) {
    float* likely;
    cudaMalloc(&likely, size_t(4) * questions * t * sizeof(float));
    score_tokens<<<dim3(t, 4 * questions), kThreads>>>(logits, tokens, span, likely, t, v);
    choose<<<(questions + 63) / 64, 64>>>(likely, span, score, pick, questions, t);
    cudaFree(likely);
}
