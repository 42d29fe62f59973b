// One thread per element. Reads are coalesced; writes are not: the 32 threads of a warp write to 32 rows of
// the output, a sector of 32 bytes for each float. Bound by memory traffic, most of it wasted.
#include <cuda_runtime.h>

__global__ void transpose(const float* input, float* output, int rows, int cols) {
    size_t at = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at < size_t(rows) * cols) {
        size_t row = at / cols;
        size_t col = at % cols;
        output[col * rows + row] = input[at];
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    size_t threads = 256;
    size_t blocks = (size_t(rows) * cols + threads - 1) / threads;
    transpose<<<static_cast<unsigned>(blocks), threads>>>(input, output, rows, cols);
}
