// Wrong: the sum of the log-likelihoods instead of their mean. Each token lowers the sum, so the shortest
// answer tends to win whatever it says. Answers of one token hide it.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void score_tokens(const __half* logits, const int* tokens, const int* span, float* likely, int t, int v) {
    __shared__ float shared[kThreads];
    int sequence = blockIdx.y, place = span[2 * sequence] + blockIdx.x;
    if (place >= span[2 * sequence + 1]) {
        return;
    }
    int row = sequence * t + place;
    const __half* in = logits + size_t(row) * v;
    float most = -INFINITY;
    for (int i = threadIdx.x; i < v; i += kThreads) {
        most = fmaxf(most, __half2float(in[i]));
    }
    shared[threadIdx.x] = most;
    __syncthreads();
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + stride]);
        }
        __syncthreads();
    }
    most = shared[0];
    __syncthreads();
    float sum = 0.0f;
    for (int i = threadIdx.x; i < v; i += kThreads) {
        sum += expf(__half2float(in[i]) - most);
    }
    shared[threadIdx.x] = sum;
    __syncthreads();
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            shared[threadIdx.x] += shared[threadIdx.x + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        likely[row] = __half2float(in[tokens[row]]) - most - logf(shared[0]);
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
        float mean = sum;
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
