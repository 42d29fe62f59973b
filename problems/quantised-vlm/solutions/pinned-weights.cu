// Right, but the decoded weights of each layer are in pinned memory of the host. They are as large there, and each kernel moves them over the
// link twice.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kThreads = 128;

// Writes the patches of the image as rows of `pixels` numbers, and the embeddings of the tokens.
__global__ void gather(const __half* image, const int* tokens, const __half* table, float* patches, float* states, int height,
                       int width, int patch, int t, int d) {
    int across = width / patch, pixels = 3 * patch * patch;
    size_t all = size_t(height / patch) * across * pixels, step = size_t(gridDim.x) * blockDim.x;
    size_t start = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (size_t i = start; i < all; i += step) {
        int which = int(i / pixels), inner = int(i % pixels);
        int channel = inner / (patch * patch);
        int y = which / across * patch + inner / patch % patch, x = which % across * patch + inner % patch;
        patches[i] = __half2float(image[(size_t(channel) * height + y) * width + x]);
    }
    for (size_t i = start; i < size_t(t) * d; i += step) {
        states[i] = __half2float(table[size_t(tokens[i / d]) * d + i % d]);
    }
}

__global__ void decode(const unsigned char* packed, const __half* scale, float* weights, int n, int k) {
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < size_t(n) * k; i += size_t(gridDim.x) * blockDim.x) {
        weights[i] = ((packed[i / 2] >> 4 * (i % 2) & 15) - 8) * __half2float(scale[i / k]);
    }
}

__global__ void multiply(const float* x, const float* weights, float* y, int m, int n, int k) {
    int feature = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (feature >= n) {
        return;
    }
    float sum = 0.0f;
    for (int c = 0; c < k; ++c) {
        sum += x[size_t(row) * k + c] * weights[size_t(feature) * k + c];
    }
    y[size_t(row) * n + feature] = sum;
}

void linear(const float* x, const unsigned char* packed, const __half* scale, float* y, int m, int n, int k) {
    float* weights;
    cudaMallocHost(&weights, size_t(n) * k * sizeof(float));
    decode<<<256, kThreads>>>(packed, scale, weights, n, k);
    multiply<<<dim3((n + kThreads - 1) / kThreads, m), kThreads>>>(x, weights, y, m, n, k);
    cudaFreeHost(weights);
}

// A block for each token: scores in shared memory, their softmax, and the values added to the state.
__global__ void attend(const float* queries, const float* keys, const float* values, float* states, int count, int d,
                       float factor) {
    extern __shared__ float scores[];
    int lane = threadIdx.x % 32;
    size_t row = size_t(blockIdx.x) * d;
    for (int i = threadIdx.x / 32; i < count; i += kThreads / 32) {
        float sum = 0.0f;
        for (int c = lane; c < d; c += 32) {
            sum += queries[row + c] * keys[size_t(i) * d + c];
        }
        for (int offset = 16; offset > 0; offset /= 2) {
            sum += __shfl_xor_sync(0xffffffffu, sum, offset);
        }
        if (lane == 0) {
            scores[i] = sum * factor;
        }
    }
    __syncthreads();
    float most = -INFINITY, total = 0.0f;
    for (int i = 0; i < count; ++i) {
        most = fmaxf(most, scores[i]);
    }
    for (int i = 0; i < count; ++i) {
        total += expf(scores[i] - most);
    }
    for (int c = threadIdx.x; c < d; c += kThreads) {
        float sum = 0.0f;
        for (int i = 0; i < count; ++i) {
            sum += expf(scores[i] - most) * values[size_t(i) * d + c];
        }
        states[row + c] += sum / total;
    }
}

extern "C" void solve(const __half* image, const int* tokens, const __half* table, const unsigned char* packed,
                      const __half* scale, float* logits, int height, int width, int patch, int t, int vocab, int d) {
    int count = height / patch * (width / patch), pixels = 3 * patch * patch;
    float* patches;
    cudaMalloc(&patches, (size_t(count) * (pixels + 3 * d) + 2 * size_t(t) * d) * sizeof(float));
    float* x = patches + size_t(count) * pixels;
    float* keys = x + size_t(count) * d;
    float* values = keys + size_t(count) * d;
    float* queries = values + size_t(count) * d;
    float* states = queries + size_t(t) * d;
    const unsigned char* square = packed + size_t(d) * (pixels / 2);
    size_t bytes = size_t(d) * (d / 2);
    gather<<<64, 2 * kThreads>>>(image, tokens, table, patches, states, height, width, patch, t, d);
    linear(patches, packed, scale, x, count, d, pixels);
    linear(x, square, scale + d, keys, count, d, d);
    linear(x, square + bytes, scale + 2 * d, values, count, d, d);
    linear(states, square + 2 * bytes, scale + 3 * d, queries, t, d, d);
    attend<<<t, kThreads, count * sizeof(float)>>>(queries, keys, values, states, count, d, 1.0f / sqrtf(d));
    linear(states, square + 3 * bytes, scale + 4 * d, logits, t, vocab, d);
    cudaFree(patches);
}
