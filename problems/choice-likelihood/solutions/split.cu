// The vocabulary is split over blocks of one warp, whose maxima and sums a second kernel merges.
//
// What bounds it: memory, with enough blocks for few positions and large vocabularies. Each warp reads its
// piece twice, the second time from L1, and stores eight bytes for 4096 bytes of logits.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kPiece = 2048;

__global__ void reduce_pieces(const __half* logits, const int* span, float2* pieces, int t, int v) {
    int sequence = blockIdx.y, place = span[2 * sequence] + blockIdx.z, lane = threadIdx.x;
    if (place >= span[2 * sequence + 1]) {
        return;
    }
    size_t row = size_t(sequence) * t + place;
    const __half* in = logits + row * v;
    int first = blockIdx.x * kPiece, last = min(v, first + kPiece);
    float most = -INFINITY, sum = 0.0f;
    for (int i = first + lane; i < last; i += 32) {
        most = fmaxf(most, __half2float(in[i]));
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, offset));
    }
    for (int i = first + lane; i < last; i += 32) {
        sum += expf(__half2float(in[i]) - most);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    }
    if (lane == 0) {
        pieces[row * gridDim.x + blockIdx.x] = make_float2(most, sum);
    }
}

// One warp for each question, eight lanes for each choice.
__global__ void choose(const __half* logits, const int* tokens, const int* span, const float2* pieces, float* score,
                       int* pick, int t, int v, int count) {
    int choice = threadIdx.x / 8, sequence = 4 * blockIdx.x + choice;
    int first = span[2 * sequence], last = span[2 * sequence + 1];
    float mean = 0.0f;
    for (int place = first + threadIdx.x % 8; place < last; place += 8) {
        size_t row = size_t(sequence) * t + place;
        float most = -INFINITY, sum = 0.0f;
        for (int piece = 0; piece < count; ++piece) {
            most = fmaxf(most, pieces[row * count + piece].x);
        }
        for (int piece = 0; piece < count; ++piece) {
            float2 part = pieces[row * count + piece];
            sum += part.y * expf(part.x - most);
        }
        mean += __half2float(logits[row * v + tokens[row]]) - most - logf(sum);
    }
    for (int offset = 4; offset > 0; offset /= 2) {
        mean += __shfl_xor_sync(0xffffffffu, mean, offset);
    }
    mean /= last - first;
    if (threadIdx.x % 8 == 0) {
        score[sequence] = mean;
    }
    int best = choice;
    for (int offset = 8; offset < 32; offset *= 2) {
        float other = __shfl_xor_sync(0xffffffffu, mean, offset);
        int number = __shfl_xor_sync(0xffffffffu, best, offset);
        if (other > mean) {  // lane 0 keeps the lowest number if means are equal
            mean = other;
            best = number;
        }
    }
    if (threadIdx.x == 0) {
        pick[blockIdx.x] = best;
    }
}

extern "C" void solve(const __half* logits, const int* tokens, const int* span, float* score, int* pick, int questions,
                      int t, int v) {
    int count = (v + kPiece - 1) / kPiece, rows = 4 * questions * t;
    float2* pieces;
    cudaMalloc(&pieces, size_t(rows) * count * sizeof(float2));
    reduce_pieces<<<dim3(count, 4 * questions, t), 32>>>(logits, span, pieces, t, v);
    choose<<<questions, 32>>>(logits, tokens, span, pieces, score, pick, t, v, count);
    cudaFree(pieces);
}
