// Wrong: the grid is rounded up to whole blocks, and nothing stops the threads past the last row.
// A GPU may let this pass in silence, because allocations are padded.
#include <cuda_runtime.h>

__global__ void multiply(const float* matrix, const float* vector, float* output, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0.0f;
    for (int k = 0; k < cols; ++k) {
        total += matrix[size_t(row) * cols + k] * vector[k];
    }
    output[row] = total;
}

extern "C" void solve(const float* matrix, const float* vector, float* output, int rows, int cols) {
    multiply<<<(rows + 127) / 128, 128>>>(matrix, vector, output, cols);
}
