// Four warps share a band of 64 features. A warp reads 32 flags at once, and a ballot turns them into a mask of kept
// blocks. It visits the bits of the mask, so skipped blocks take no iteration and all lanes agree. Each lane reads
// 16 bytes: half a row of the block.
//
// What bounds it: DRAM bandwidth. A warp reads 512 bytes of a kept block in one load, and each flag costs a byte.
// Bands with many kept blocks take longer than others.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kBlock = 64;  // the side of a block
constexpr int kWarps = 4;   // of a band
constexpr int kRows = kBlock / kWarps;
constexpr int kTokens = 4;
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
    __shared__ __align__(16) float activations[kWarps][kTokens][2][kBlock / 2 + 4];
    int lane = threadIdx.x, warp = threadIdx.y, half = lane % 2, steps = k / kBlock;
    int feature = blockIdx.x * kBlock + warp * kRows + lane / 2, token = blockIdx.y * kTokens;
    const unsigned char* flags = skip + size_t(blockIdx.x) * steps;
    const uint4* row = reinterpret_cast<const uint4*>(packed + size_t(feature) * (k / 2));
    float sums[kTokens] = {};

    for (int first = 0; first < steps; first += 32) {
        unsigned kept = __ballot_sync(kAll, first + lane < steps && !flags[first + lane]);
        while (kept) {  // the same for all lanes
            int step = first + __ffs(kept) - 1;
            kept &= kept - 1;
            uint4 bytes = row[2 * step + half];
            float factor = __half2float(scale[size_t(step) * n + feature]);
            __syncwarp();
            for (int t = 0; t < kTokens && token + t < m; ++t) {
                const __half* from = x + size_t(token + t) * k + step * kBlock;
                float2 pair = __half22float2(reinterpret_cast<const __half2*>(from)[lane]);
                activations[warp][t][lane / 16][lane % 16 * 2] = pair.x;
                activations[warp][t][lane / 16][lane % 16 * 2 + 1] = pair.y;
            }
            __syncwarp();
            for (int t = 0; t < kTokens && token + t < m; ++t) {
                sums[t] += factor * dot(bytes, activations[warp][t][half]);
            }
        }
    }
    for (int t = 0; t < kTokens && token + t < m; ++t) {
        float sum = sums[t] + __shfl_xor_sync(kAll, sums[t], 1);
        if (half == 0) {
            y[size_t(token + t) * n + feature] = __float2half_rn(sum);
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
        multiply<<<grid, dim3(32, kWarps)>>>(x, packed, scale, skip, y, m, n, k, block);
    } else {
        any_side<<<dim3((n + 127) / 128, m), 128>>>(x, packed, scale, skip, y, m, n, k, block);
    }
}
