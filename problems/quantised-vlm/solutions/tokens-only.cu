// Keys and values are never computed: their weights multiply the few tokens instead of the many patches.
//
// A score is q (W x) = (W' q) x with the transposed W', and an average of the values W x is W times the average of x. For one token
// and 256 patches, both layers take a 256th of the work. What bounds it: for one token, the bytes of the weights. A warp has
// a row and reads words of eight codes. For many tokens, use tiles instead.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kThreads = 128;
constexpr int kWarps = 4;
constexpr int kRows = 4;

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

// y = x times the transposed weights: a warp for each feature and four rows. Words of eight codes where rows are aligned to them.
template <bool kWords>
__global__ void multiply(const float* x, const unsigned char* packed, const __half* scale, float* y, int m, int n, int k) {
    constexpr int kCodes = kWords ? 8 : 2;  // of a load
    int feature = blockIdx.x * kWarps + threadIdx.y, first = blockIdx.y * kRows, lane = threadIdx.x;
    if (feature >= n) {
        return;
    }
    const unsigned char* bytes = packed + size_t(feature) * (k / 2);
    float sums[kRows] = {};
    for (int at = lane; at < k / kCodes; at += 32) {
        unsigned codes = kWords ? reinterpret_cast<const unsigned*>(bytes)[at] : bytes[at];
#pragma unroll
        for (int i = 0; i < kCodes; ++i) {
            float weight = static_cast<float>(int(codes >> 4 * i & 15u) - 8);
#pragma unroll
            for (int row = 0; row < kRows; ++row) {
                sums[row] += first + row < m ? weight * x[size_t(first + row) * k + at * kCodes + i] : 0.0f;
            }
        }
    }
    for (int row = 0; row < kRows; ++row) {
        float sum = sums[row];
        for (int offset = 16; offset > 0; offset /= 2) {
            sum += __shfl_xor_sync(0xffffffffu, sum, offset);
        }
        if (lane == 0 && first + row < m) {
            y[size_t(first + row) * n + feature] = sum * __half2float(scale[feature]);
        }
    }
}

void linear(const float* x, const unsigned char* packed, const __half* scale, float* y, int m, int n, int k) {
    dim3 blocks((n + kWarps - 1) / kWarps, (m + kRows - 1) / kRows), threads(32, kWarps);
    auto kernel = k % 8 == 0 ? multiply<true> : multiply<false>;
    kernel<<<blocks, threads>>>(x, packed, scale, y, m, n, k);
}

// y = x times the weights, not transposed: a thread for two columns walks over the rows.
__global__ void multiply_back(const float* x, const unsigned char* packed, const __half* scale, float* y, int d) {
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= d / 2) {
        return;
    }
    const float* own = x + size_t(blockIdx.y) * d;
    float even = 0.0f, odd = 0.0f;
    for (int row = 0; row < d; ++row) {
        int both = packed[size_t(row) * (d / 2) + pair];
        float factor = own[row] * __half2float(scale[row]);
        even += factor * ((both & 15) - 8);
        odd += factor * ((both >> 4) - 8);
    }
    y[size_t(blockIdx.y) * d + 2 * pair] = even;
    y[size_t(blockIdx.y) * d + 2 * pair + 1] = odd;
}

// A block for each token: scores in shared memory, their softmax, and the average of the rows of x.
__global__ void attend(const float* queries, const float* x, float* average, int count, int d,
                       float factor) {
    extern __shared__ float scores[];
    int lane = threadIdx.x % 32;
    size_t row = size_t(blockIdx.x) * d;
    for (int i = threadIdx.x / 32; i < count; i += kThreads / 32) {
        float sum = 0.0f;
        for (int c = lane; c < d; c += 32) {
            sum += queries[row + c] * x[size_t(i) * d + c];
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
            sum += expf(scores[i] - most) * x[size_t(i) * d + c];
        }
        average[row + c] = sum / total;
    }
}

__global__ void add(const float* x, float* y, size_t n) {
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
        y[i] += x[i];
    }
}

extern "C" void solve(const __half* image, const int* tokens, const __half* table, const unsigned char* packed,
                      const __half* scale, float* logits, int height, int width, int patch, int t, int vocab, int d) {
    int count = height / patch * (width / patch), pixels = 3 * patch * patch;
    float* patches;
    cudaMalloc(&patches, (size_t(count) * (pixels + d) + 4 * size_t(t) * d) * sizeof(float));
    float* x = patches + size_t(count) * pixels;
    float* states = x + size_t(count) * d;
    float* queries = states + size_t(t) * d;
    float* turned = queries + size_t(t) * d;
    float* average = turned + size_t(t) * d;
    const unsigned char* square = packed + size_t(d) * (pixels / 2);
    size_t bytes = size_t(d) * (d / 2);
    gather<<<64, 2 * kThreads>>>(image, tokens, table, patches, states, height, width, patch, t, d);
    linear(patches, packed, scale, x, count, d, pixels);
    linear(states, square + 2 * bytes, scale + 3 * d, queries, t, d, d);
    dim3 blocks((d / 2 + 31) / 32, t);
    multiply_back<<<blocks, 32>>>(queries, square, scale + d, turned, d);
    attend<<<t, kThreads, count * sizeof(float)>>>(turned, x, average, count, d, 1.0f / sqrtf(d));
    linear(average, square + bytes, scale + 2 * d, queries, t, d, d);
    add<<<64, 2 * kThreads>>>(queries, states, size_t(t) * d);
    linear(states, square + 3 * bytes, scale + 4 * d, logits, t, vocab, d);
    cudaFree(patches);
}
