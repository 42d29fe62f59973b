// Misses a requirement: stores columns and reads rows. The reads have no conflicts any more, but now the stores do.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kRun = 8;  // elements of a thread in squares
constexpr int kTile = 32;

// power[i] is the square of x[i].
__global__ void squares(const float* x, float* power, int n) {
    int first = blockIdx.x * kThreads * kRun + threadIdx.x;
    for (int k = 0; k < kRun; ++k) {
        int i = first + k * kThreads;
        if (i < n) power[i] = x[i] * x[i];
    }
}

// y is the transpose of power.
__global__ void transpose(const float* power, float* y, int rows, int cols) {
    __shared__ float tile[kTile][kTile];
    int left = blockIdx.x * kTile, top = blockIdx.y * kTile;
    for (int k = threadIdx.y; k < kTile; k += blockDim.y) {
        int row = top + k, col = left + threadIdx.x;
        if (row < rows && col < cols) tile[threadIdx.x][k] = power[row * cols + col];
    }
    __syncthreads();
    for (int k = threadIdx.y; k < kTile; k += blockDim.y) {
        int row = top + threadIdx.x, col = left + k;
        if (row < rows && col < cols) y[col * rows + row] = tile[k][threadIdx.x];
    }
}

// energy[row] is the sum of a row of power. It is zero at first.
__global__ void energies(const float* power, float* energy, int cols) {
    int row = blockIdx.y;
    int col = blockIdx.x * kThreads + threadIdx.x;
    float v = col < cols ? power[row * cols + col] : 0.0f;
    for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
    if (threadIdx.x % 32 == 0) atomicAdd(&energy[row], v);
}

extern "C" void solve(const float* x, float* y, float* energy, int rows, int cols) {
    static float* power = nullptr;
    static int kept = 0;
    int n = rows * cols;
    if (n > kept) {
        cudaFree(power);
        cudaMalloc(&power, n * sizeof(float));
        kept = n;
    }
    cudaMemsetAsync(energy, 0, rows * sizeof(float));
    squares<<<(n - 1) / (kThreads * kRun) + 1, kThreads>>>(x, power, n);
    transpose<<<dim3((cols - 1) / kTile + 1, (rows - 1) / kTile + 1), dim3(kTile, 8)>>>(power, y, rows, cols);
    energies<<<dim3((cols - 1) / kThreads + 1, rows), kThreads>>>(power, energy, cols);
}
