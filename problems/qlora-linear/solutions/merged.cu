// Decodes the weights into float32 scratch and adds the adapter to them: W + s B A. One product then gives y. The packed
// weights stay as they are, and the merged ones keep all digits.
//
// What bounds it: the product, and once 8 bytes per weight for writing and reading the scratch. Decoding costs nothing per
// row of x. The scratch takes eight times the memory of the packed weights, which is what QLoRA wants to save.
#include <cuda_runtime.h>

constexpr int kTile = 16;

// Element (i, j) of a matrix, or of its transpose.
struct Matrix {
    const float* data;
    int by_row, by_column;
    __device__ float operator()(int i, int j) const { return data[size_t(i) * by_row + size_t(j) * by_column]; }
};

// Weight (j, i) of the layer: four bits less 8, times the scale of its group of 16.
struct Weights {
    const unsigned char* packed;
    const float* scale;
    int ins;
    __device__ float operator()(int i, int j) const {
        unsigned byte = packed[size_t(j) * (ins / 2) + i / 2];
        int level = int(i % 2 == 0 ? byte & 15 : byte >> 4) - 8;
        return level * scale[size_t(j) * (ins / 16) + i / 16];
    }
};

__global__ void merge(Weights weights, const float* a, const float* b, float* merged, int ins, int outs, int rank,
                      float scaling) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    if (i >= ins) {
        return;
    }
    float sum = 0.0f;
    for (int r = 0; r < rank; ++r) {
        sum += b[size_t(j) * rank + r] * a[size_t(r) * ins + i];
    }
    merged[size_t(j) * ins + i] = weights(i, j) + scaling * sum;
}

template <class Left, class Right>
__global__ void product(Left left, Right right, float* out, int m, int n, int depth, float factor, bool add) {
    __shared__ float lefts[kTile][kTile + 1], rights[kTile][kTile + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * kTile + ty, j = blockIdx.x * kTile + tx;
    float sum = 0.0f;
    for (int first = 0; first < depth; first += kTile) {
        lefts[ty][tx] = i < m && first + tx < depth ? left(i, first + tx) : 0.0f;
        rights[ty][tx] = j < n && first + ty < depth ? right(first + ty, j) : 0.0f;
        __syncthreads();
        for (int k = 0; k < kTile; ++k) {
            sum += lefts[ty][k] * rights[k][tx];
        }
        __syncthreads();  // before the next tiles overwrite these
    }
    if (i < m && j < n) {
        size_t at = size_t(i) * n + j;
        out[at] = factor * sum + (add ? out[at] : 0.0f);
    }
}

template <class Left, class Right>
static void multiply(Left left, Right right, float* out, int m, int n, int depth, float factor, bool add) {
    dim3 threads(kTile, kTile), blocks((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
    product<<<blocks, threads>>>(left, right, out, m, n, depth, factor, add);
}

extern "C" void solve(const float* x, const unsigned char* packed, const float* scale, const float* a, const float* b,
                      const float* dy, float* y, float* da, float* db, int rows, int ins, int outs, int rank,
                      float scaling) {
    float *low, *v, *merged;
    cudaMalloc(&low, sizeof(float) * rows * rank);
    cudaMalloc(&v, sizeof(float) * rows * rank);
    cudaMalloc(&merged, sizeof(float) * outs * ins);
    merge<<<dim3((ins + 127) / 128, outs), 128>>>(Weights{packed, scale, ins}, a, b, merged, ins, outs, rank, scaling);
    multiply(Matrix{x, ins, 1}, Matrix{merged, 1, ins}, y, rows, outs, ins, 1.0f, false);
    multiply(Matrix{x, ins, 1}, Matrix{a, 1, ins}, low, rows, rank, ins, 1.0f, false);    // x A^T
    multiply(Matrix{dy, outs, 1}, Matrix{b, rank, 1}, v, rows, rank, outs, 1.0f, false);  // dy B
    multiply(Matrix{v, 1, rank}, Matrix{x, ins, 1}, da, rank, ins, rows, scaling, false);
    multiply(Matrix{dy, 1, outs}, Matrix{low, rank, 1}, db, outs, rank, rows, scaling, false);
    cudaFree(low);  // waits for the kernels
    cudaFree(v);
    cudaFree(merged);
}
