// Wrong: returns early if a band has no kept block. Its results are zero, and they must be written: before the call,
// `y` holds random bits.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kBlock = 64;  // the side of a block
constexpr int kWarps = 8;
constexpr int kThreads = 32 * kWarps;
constexpr int kTokens = 2;
constexpr int kGroups = 4;      // rows of a lane
constexpr int kPart = 256;     // steps that are listed at a time
constexpr unsigned kAll = 0xffffffffu;

// The product of 32 weights, which 16 bytes hold, and 32 activations.
__device__ float dot(uint4 bytes, const float* activations) {
    unsigned words[4] = {bytes.x, bytes.y, bytes.z, bytes.w};
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 32; ++i) {
        sum += activations[i] * (int(words[i / 8] >> 4 * (i % 8) & 15u) - 8);
    }
    return sum;
}

__global__ void multiply(const __half* x, const unsigned char* packed, const __half* scale, const unsigned char* skip,
                         __half* y, int m, int n, int k, int block) {
    __shared__ int list[kPart];
    __shared__ int length;
    __shared__ __align__(16) float activations[kWarps][kTokens][2][kBlock / 2 + 4];
    __shared__ float sums_of[kWarps][kTokens][kBlock];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, half = lane % 2, steps = k / kBlock;
    int band = blockIdx.x, token = blockIdx.y * kTokens;
    const unsigned char* flags = skip + size_t(band) * steps;
    float sums[kTokens][kGroups] = {};

    for (int first = 0; first < steps; first += kPart) {
        __syncthreads();  // all warps have finished with the last list
        if (threadIdx.x == 0) {
            length = 0;
        }
        __syncthreads();
        for (int step = first + threadIdx.x; step < min(steps, first + kPart); step += kThreads) {
            if (!flags[step]) {
                list[atomicAdd(&length, 1)] = step;
            }
        }
        __syncthreads();  // the list is complete
        if (length == 0 && steps <= kPart) {
            return;  // the whole block of threads
        }
        for (int at = warp; at < length; at += kWarps) {
            int step = list[at];
            __syncwarp();
            for (int t = 0; t < kTokens && token + t < m; ++t) {
                const __half* from = x + size_t(token + t) * k + step * kBlock;
                float2 pair = __half22float2(reinterpret_cast<const __half2*>(from)[lane]);
                activations[warp][t][lane / 16][lane % 16 * 2] = pair.x;
                activations[warp][t][lane / 16][lane % 16 * 2 + 1] = pair.y;
            }
            __syncwarp();
#pragma unroll
            for (int g = 0; g < kGroups; ++g) {
                int feature = band * kBlock + g * 16 + lane / 2;
                uint4 bytes = reinterpret_cast<const uint4*>(packed + size_t(feature) * (k / 2))[2 * step + half];
                float factor = __half2float(scale[size_t(step) * n + feature]);
                for (int t = 0; t < kTokens && token + t < m; ++t) {
                    sums[t][g] += factor * dot(bytes, activations[warp][t][half]);
                }
            }
        }
    }
    for (int t = 0; t < kTokens; ++t) {
        for (int g = 0; g < kGroups; ++g) {
            float sum = sums[t][g] + __shfl_xor_sync(kAll, sums[t][g], 1);
            if (half == 0) {
                sums_of[warp][t][g * 16 + lane / 2] = sum;
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kTokens * kBlock; i += kThreads) {
        int t = i / kBlock, row = i % kBlock;
        if (token + t < m) {
            float sum = 0.0f;
            for (int w = 0; w < kWarps; ++w) {
                sum += sums_of[w][t][row];
            }
            y[size_t(token + t) * n + band * kBlock + row] = __float2half_rn(sum);
        }
    }
}

// For blocks of other sides: a thread for each result.
__global__ void any_side(const __half* x, const unsigned char* packed, const __half* scale, const unsigned char* skip,
                         __half* y, int m, int n, int k, int block) {
    int feature = blockIdx.x * blockDim.x + threadIdx.x, token = blockIdx.y, steps = k / block;
    if (feature >= n) {
        return;
    }
    const unsigned char* flags = skip + size_t(feature / block) * steps;
    float sum = 0.0f;
    for (int step = 0; step < steps; ++step) {
        if (flags[step]) {
            continue;
        }
        const unsigned char* bytes = packed + (size_t(feature) * k + size_t(step) * block) / 2;
        const __half* in = x + size_t(token) * k + size_t(step) * block;
        float part = 0.0f;
        for (int i = 0; i < block / 2; ++i) {
            part += __half2float(in[2 * i]) * ((bytes[i] & 15) - 8);
            part += __half2float(in[2 * i + 1]) * ((bytes[i] >> 4) - 8);
        }
        sum += part * __half2float(scale[size_t(step) * n + feature]);
    }
    y[size_t(token) * n + feature] = __float2half_rn(sum);
}

extern "C" void solve(const __half* x, const unsigned char* packed, const __half* scale, const unsigned char* skip,
                      __half* y, int m, int n, int k, int block) {
    if (block == kBlock) {
        dim3 grid(n / kBlock, (m + kTokens - 1) / kTokens);
        multiply<<<grid, kThreads>>>(x, packed, scale, skip, y, m, n, k, block);
    } else {
        any_side<<<dim3((n + 127) / 128, m), 128>>>(x, packed, scale, skip, y, m, n, k, block);
    }
}
