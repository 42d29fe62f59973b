// 16-byte loads, and the row stays in registers between its maximum and its codes.
//
// What bounds it: memory, 5 bytes per element: each kernel reads the matrix once, the second one writes the
// codes, eight at a time. The maximum of halves is exact in half precision, so both searches work on pairs
// with __hmax2 and convert nothing. Widths that are not a multiple of eight, or too wide for the registers, take
// plain loops.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kVectors = 8;  // of eight halves, in each thread
constexpr int kStrip = 128;

union Eight {
    uint4 bits;
    __half2 pairs[4];
    __half halves[8];
};

__global__ void clear(int* found, int k) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < k) {
        found[col] = 0;
    }
}

__global__ void find_in_vectors(const uint4* x, int* found, int m, int vectors, float threshold) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= vectors) {
        return;
    }
    Eight most = {{0u, 0u, 0u, 0u}};
    int last = min(m, int(blockIdx.y + 1) * kStrip);
#pragma unroll 4
    for (int row = blockIdx.y * kStrip; row < last; ++row) {
        Eight now;
        now.bits = x[size_t(row) * vectors + at];
        for (int pair = 0; pair < 4; ++pair) {
            most.pairs[pair] = __hmax2(most.pairs[pair], __habs2(now.pairs[pair]));
        }
    }
    for (int i = 0; i < 8; ++i) {
        if (__half2float(most.halves[i]) >= threshold) {
            atomicOr(&found[at * 8 + i], 1);
        }
    }
}

__global__ void find_in_columns(const __half* x, int* found, int m, int k, float threshold) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= k) {
        return;
    }
    bool any = false;
    int last = min(m, int(blockIdx.y + 1) * kStrip);
    for (int row = blockIdx.y * kStrip; row < last; ++row) {
        any |= fabsf(__half2float(x[size_t(row) * k + col])) >= threshold;
    }
    if (any) {
        atomicOr(&found[col], 1);
    }
}

__global__ void to_bytes(const int* found, unsigned char* outlier, int k) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < k) {
        outlier[col] = found[col] != 0;
    }
}

// The scale of the row from the greatest magnitude of each thread, returned to all threads.
__device__ float scale_of_block(float most) {
    __shared__ float warps[kThreads / 32];
    for (int offset = 16; offset > 0; offset /= 2) {
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, offset));
    }
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = most;
    }
    __syncthreads();
    most = warps[0];
    for (int warp = 1; warp < kThreads / 32; ++warp) {
        most = fmaxf(most, warps[warp]);
    }
    return most > 0.0f ? most / 127.0f : 1.0f;
}

__global__ void quantise_vectors(const uint4* x, const int* found, uint2* q, float* scale, int vectors) {
    const uint4* in = x + size_t(blockIdx.x) * vectors;
    uint2* out = q + size_t(blockIdx.x) * vectors;
    Eight row[kVectors];
    float most = 0.0f;
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
        int at = threadIdx.x + i * kThreads;
        row[i].bits = at < vectors ? in[at] : make_uint4(0u, 0u, 0u, 0u);
    }
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
        int at = threadIdx.x + i * kThreads;
        for (int j = 0; at < vectors && j < 8; ++j) {
            if (found[at * 8 + j]) {
                row[i].halves[j] = __ushort_as_half(0);
            }
            most = fmaxf(most, fabsf(__half2float(row[i].halves[j])));
        }
    }
    float step = scale_of_block(most);
    float inverse = 1.0f / step;
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
        int at = threadIdx.x + i * kThreads;
        if (at < vectors) {
            unsigned words[2] = {0u, 0u};
            for (int j = 0; j < 8; ++j) {
                int code = __float2int_rn(__half2float(row[i].halves[j]) * inverse);
                words[j / 4] |= (code & 0xffu) << (j % 4 * 8);
            }
            out[at] = make_uint2(words[0], words[1]);
        }
    }
    if (threadIdx.x == 0) {
        scale[blockIdx.x] = step;
    }
}

__global__ void quantise_columns(const __half* x, const int* found, signed char* q, float* scale, int k) {
    const __half* in = x + size_t(blockIdx.x) * k;
    signed char* out = q + size_t(blockIdx.x) * k;
    float most = 0.0f;
    for (int col = threadIdx.x; col < k; col += kThreads) {
        most = fmaxf(most, found[col] ? 0.0f : fabsf(__half2float(in[col])));
    }
    float step = scale_of_block(most);
    for (int col = threadIdx.x; col < k; col += kThreads) {
        out[col] = found[col] ? 0 : __float2int_rn(__half2float(in[col]) / step);
    }
    if (threadIdx.x == 0) {
        scale[blockIdx.x] = step;
    }
}

extern "C" void solve(const __half* x, signed char* q, float* scale, unsigned char* outlier, int m, int k,
                      float threshold) {
    int* found;
    cudaMalloc(&found, size_t(k) * sizeof(int));
    int blocks = (k + kThreads - 1) / kThreads, strips = (m + kStrip - 1) / kStrip;
    clear<<<blocks, kThreads>>>(found, k);
    bool whole = k % 8 == 0 && k <= 8 * kVectors * kThreads;
    const uint4* vectors = reinterpret_cast<const uint4*>(x);
    if (whole) {
        find_in_vectors<<<dim3((k / 8 + 63) / 64, strips), 64>>>(vectors, found, m, k / 8, threshold);
        quantise_vectors<<<m, kThreads>>>(vectors, found, reinterpret_cast<uint2*>(q), scale, k / 8);
    } else {
        find_in_columns<<<dim3(blocks, strips), kThreads>>>(x, found, m, k, threshold);
        quantise_columns<<<m, kThreads>>>(x, found, q, scale, k);
    }
    to_bytes<<<blocks, kThreads>>>(found, outlier, k);
    cudaFree(found);
}
