// One thread per row, sorting by insertion in the output. Bound by the latency of memory: every step waits for the last.
#include <cuda_runtime.h>

__global__ void sort_rows(const float* input, float* output, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    const float* from = input + size_t(row) * cols;
    float* to = output + size_t(row) * cols;
    for (int i = 0; i < cols; ++i) {
        float value = from[i];
        int at = i;
        while (at > 0 && to[at - 1] > value) {
            to[at] = to[at - 1];
            --at;
        }
        to[at] = value;
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    sort_rows<<<(rows + 127) / 128, 128>>>(input, output, rows, cols);
}
