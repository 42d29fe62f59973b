// Maximum and sum in a single pass, combined by warp shuffles.
//
// What bounds it: DRAM bandwidth, one read and one write of the matrix. Each thread keeps the pair (m,
// s): the maximum so far and the sum of exp(x - m). When the maximum grows, s is rescaled once, so one
// pass replaces two. Pairs merge in any order, first by shuffles inside the warp, then through one
// shared slot per warp. 16-byte loads need a quarter of the load instructions; they are allowed when
// every row starts on a 16-byte boundary, that is when cols is a multiple of 4.
#include <cuda_runtime.h>
#include <math.h>

struct Pair {
    float maximum;
    float sum;
};

__device__ Pair merge(Pair a, Pair b) {
    float maximum = fmaxf(a.maximum, b.maximum);
    // A pair that has seen nothing is (-inf, 0); -inf - -inf would be NaN.
    if (maximum == -INFINITY) {
        return a;
    }
    return {maximum, a.sum * __expf(a.maximum - maximum) + b.sum * __expf(b.maximum - maximum)};
}

__device__ Pair take(Pair pair, float x) {
    if (x > pair.maximum) {
        return {x, pair.sum * __expf(pair.maximum - x) + 1.0f};
    }
    return {pair.maximum, pair.sum + __expf(x - pair.maximum)};
}

__device__ Pair take(Pair pair, float4 x) {
    float largest = fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w));
    float maximum = fmaxf(pair.maximum, largest);
    float sum = pair.sum * __expf(pair.maximum - maximum);
    sum += (__expf(x.x - maximum) + __expf(x.y - maximum)) + (__expf(x.z - maximum) + __expf(x.w - maximum));
    return {maximum, sum};
}

__device__ Pair reduce_warp(Pair pair) {
    for (int offset = 16; offset > 0; offset /= 2) {
        Pair other = {__shfl_xor_sync(0xffffffffu, pair.maximum, offset),
                      __shfl_xor_sync(0xffffffffu, pair.sum, offset)};
        pair = merge(pair, other);
    }
    return pair;
}

__device__ Pair reduce_block(Pair pair) {
    __shared__ Pair warps[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, count = blockDim.x / 32;
    pair = reduce_warp(pair);
    if (count == 1) {
        return pair;
    }
    if (lane == 0) {
        warps[warp] = pair;
    }
    __syncthreads();
    return reduce_warp(lane < count ? warps[lane] : Pair{-INFINITY, 0.0f});
}

__device__ float scaled(float x, Pair row, float scale) { return __expf(x - row.maximum) * scale; }

__global__ void softmax_vectors(const float4* input, float4* output, int vectors) {
    const float4* in = input + size_t(blockIdx.x) * vectors;
    float4* out = output + size_t(blockIdx.x) * vectors;
    Pair row = {-INFINITY, 0.0f};
    for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
        row = take(row, in[i]);
    }
    row = reduce_block(row);
    float scale = 1.0f / row.sum;
    for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
        float4 x = in[i];  // still in L1 or L2
        out[i] = make_float4(scaled(x.x, row, scale), scaled(x.y, row, scale), scaled(x.z, row, scale),
                             scaled(x.w, row, scale));
    }
}

__global__ void softmax_scalars(const float* input, float* output, int cols) {
    const float* in = input + size_t(blockIdx.x) * cols;
    float* out = output + size_t(blockIdx.x) * cols;
    Pair row = {-INFINITY, 0.0f};
    for (int col = threadIdx.x; col < cols; col += blockDim.x) {
        row = take(row, in[col]);
    }
    row = reduce_block(row);
    float scale = 1.0f / row.sum;
    for (int col = threadIdx.x; col < cols; col += blockDim.x) {
        out[col] = scaled(in[col], row, scale);
    }
}

// Enough warps to give each thread about four items, at most a full block.
static int threads_for(int items) {
    int threads = (items / 4 + 31) / 32 * 32;
    return threads < 32 ? 32 : threads > 1024 ? 1024 : threads;
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (cols % 4 == 0) {
        int vectors = cols / 4;
        softmax_vectors<<<rows, threads_for(vectors)>>>(reinterpret_cast<const float4*>(input),
                                                        reinterpret_cast<float4*>(output), vectors);
    } else {
        softmax_scalars<<<rows, threads_for(cols)>>>(input, output, cols);
    }
}
