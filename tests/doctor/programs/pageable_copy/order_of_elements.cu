// problem: matrix-transpose
#include <cuda_runtime.h>

#include <vector>

__global__ void gather(const float* input, const int* places, float* output, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        output[i] = input[places[i]];
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    std::vector<int> places(rows * cols);
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
            places[col * rows + row] = row * cols + col;
        }
    }
    int* on_device;
    cudaMalloc(&on_device, places.size() * sizeof(int));
    cudaMemcpy(on_device, places.data(), places.size() * sizeof(int), cudaMemcpyHostToDevice);  // doctor: pageable_copy
    gather<<<(rows * cols + 255) / 256, 256>>>(input, on_device, output, rows * cols);
    cudaFree(on_device);
}
