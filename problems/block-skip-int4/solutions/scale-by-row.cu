// Wrong: takes the scales row by row, as if they lay like the weights. All scales of a step lie next to each other:
// `scale[step * n + feature]`.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kTile = 64;  // features, and weights of a feature, that are decoded together
constexpr int kTokens = 4;
constexpr int kThreads = 128;
constexpr int kSums = kTile * kTokens / kThreads;

__global__ void multiply(const __half* x, const unsigned char* packed, const __half* scale, const unsigned char* skip,
                         __half* y, int m, int n, int k, int block) {
    __shared__ float weights[kTile][kTile + 1];
    __shared__ float activations[kTokens][kTile];
    int steps = k / block, parts = (block + kTile - 1) / kTile;  // of a band, and of a step
    int band = blockIdx.x / parts, token = blockIdx.y * kTokens;
    int first_row = blockIdx.x % parts * kTile;  // within the band
    int rows = min(kTile, block - first_row);
    size_t feature = size_t(band) * block + first_row;
    float sums[kSums] = {};

    for (int step = 0; step < steps; ++step) {
        if (skip[size_t(band) * steps + step]) {
            continue;  // the whole block of threads
        }
        for (int first = 0; first < block; first += kTile) {
            int cols = min(kTile, block - first);
            size_t col = size_t(step) * block + first;
            __syncthreads();  // all threads have finished with the last tile
            for (int i = threadIdx.x; i < rows * (cols / 2); i += kThreads) {
                int row = i / (cols / 2), pair = i % (cols / 2);
                int both = packed[((feature + row) * k + col) / 2 + pair];
                weights[row][2 * pair] = (both & 15) - 8;
                weights[row][2 * pair + 1] = (both >> 4) - 8;
            }
            for (int i = threadIdx.x; i < kTokens * cols; i += kThreads) {
                int t = token + i / cols;
                activations[i / cols][i % cols] = t < m ? __half2float(x[size_t(t) * k + col + i % cols]) : 0.0f;
            }
            __syncthreads();
#pragma unroll
            for (int s = 0; s < kSums; ++s) {
                int i = threadIdx.x + s * kThreads, row = i % kTile;
                if (row < rows && token + i / kTile < m) {
                    float sum = 0.0f;
                    for (int j = 0; j < cols; ++j) {
                        sum += activations[i / kTile][j] * weights[row][j];
                    }
                    sums[s] += sum * __half2float(scale[(feature + row) * steps + step]);
                }
            }
        }
    }
#pragma unroll
    for (int s = 0; s < kSums; ++s) {
        int i = threadIdx.x + s * kThreads, row = i % kTile, t = token + i / kTile;
        if (row < rows && t < m) {
            y[size_t(t) * n + feature + row] = __float2half_rn(sums[s]);
        }
    }
}

extern "C" void solve(const __half* x, const unsigned char* packed, const __half* scale, const unsigned char* skip,
                      __half* y, int m, int n, int k, int block) {
    int parts = (block + kTile - 1) / kTile;
    dim3 grid(n / block * parts, (m + kTokens - 1) / kTokens);
    multiply<<<grid, kThreads>>>(x, packed, scale, skip, y, m, n, k, block);
}
