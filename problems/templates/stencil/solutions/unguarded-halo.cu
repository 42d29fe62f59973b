// Wrong: reads the four neighbours before it asks whether there are four. A GPU may let this pass in silence.
#include <cuda_runtime.h>

__global__ void smooth(const float* input, float* output, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= rows || c >= cols) {
        return;
    }
    ptrdiff_t at = ptrdiff_t(r) * cols + c;
    float mean = 0.25f * (input[at - cols] + input[at + cols] + input[at - 1] + input[at + 1]);
    bool border = r == 0 || c == 0 || r == rows - 1 || c == cols - 1;
    output[at] = border ? input[at] : mean;
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    dim3 threads(32, 8);
    dim3 blocks((cols + 31) / 32, (rows + 7) / 8);
    smooth<<<blocks, threads>>>(input, output, rows, cols);
}
