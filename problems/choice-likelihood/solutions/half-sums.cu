// Wrong: the exponentials are added up in float16. A sum of 1 has steps of 1/1024, so all smaller terms than half of that are
// lost, and they are the majority of a large vocabulary. The logits have the type float16, but their sum needs float32.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void score_tokens(const __half* logits, const int* tokens, const int* span, float* likely, int t, int v) {
    int sequence = blockIdx.y, place = span[2 * sequence] + blockIdx.x, lane = threadIdx.x;
    if (place >= span[2 * sequence + 1]) {
        return;
    }
    int row = sequence * t + place;
    const __half* in = logits + size_t(row) * v;
    float most = -INFINITY;
    for (int i = lane; i < v; i += 32) {
        most = fmaxf(most, __half2float(in[i]));
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, offset));
    }
    __half sum = __float2half_rn(0.0f);
    for (int i = lane; i < v; i += 32) {
        sum = __hadd(sum, __float2half_rn(expf(__half2float(in[i]) - most)));
    }
    float whole = __half2float(sum);
    for (int offset = 16; offset > 0; offset /= 2) {
        whole += __shfl_xor_sync(0xffffffffu, whole, offset);
    }
    if (lane == 0) {
        likely[row] = __half2float(in[tokens[row]]) - most - logf(whole);
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
    score_tokens<<<dim3(t, 4 * questions), 32>>>(logits, tokens, span, likely, t, v);
    choose<<<(questions + 63) / 64, 64>>>(likely, span, score, pick, questions, t);
    cudaFree(likely);
}
