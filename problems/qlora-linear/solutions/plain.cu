// One kernel for all products, one thread per element of the result. A view says where an element of a factor lies, so the
// same kernel multiplies transposed and packed matrices.
//
// What bounds it: loads. Each multiplication reads two numbers, and each weight is decoded again for each row of x.
#include <cuda_runtime.h>

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

template <class Left, class Right>
__global__ void product(Left left, Right right, float* out, int m, int n, int depth, float factor, bool add) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n) {
        return;
    }
    float sum = 0.0f;
    for (int k = 0; k < depth; ++k) {
        sum += left(i, k) * right(k, j);
    }
    size_t at = size_t(i) * n + j;
    out[at] = factor * sum + (add ? out[at] : 0.0f);
}

template <class Left, class Right>
static void multiply(Left left, Right right, float* out, int m, int n, int depth, float factor, bool add) {
    dim3 threads(16, 16), blocks((n + 15) / 16, (m + 15) / 16);
    product<<<blocks, threads>>>(left, right, out, m, n, depth, factor, add);
}

extern "C" void solve(const float* x, const unsigned char* packed, const float* scale, const float* a, const float* b,
                      const float* dy, float* y, float* da, float* db, int rows, int ins, int outs, int rank,
                      float scaling) {
    float *low, *v;
    cudaMalloc(&low, sizeof(float) * rows * rank);
    cudaMalloc(&v, sizeof(float) * rows * rank);
    multiply(Matrix{x, ins, 1}, Matrix{a, 1, ins}, low, rows, rank, ins, 1.0f, false);    // x A^T
    multiply(Matrix{dy, outs, 1}, Matrix{b, rank, 1}, v, rows, rank, outs, 1.0f, false);  // dy B
    multiply(Matrix{x, ins, 1}, Weights{packed, scale, ins}, y, rows, outs, ins, 1.0f, false);
    multiply(Matrix{low, rank, 1}, Matrix{b, 1, rank}, y, rows, outs, rank, scaling, true);
    multiply(Matrix{v, 1, rank}, Matrix{x, ins, 1}, da, rank, ins, rows, scaling, false);
    multiply(Matrix{dy, 1, outs}, Matrix{low, rank, 1}, db, outs, rank, rows, scaling, false);
    cudaFree(low);  // waits for the kernels
    cudaFree(v);
}
