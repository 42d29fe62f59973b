// Contiguous accesses that start at several places in a sector. `which` chooses.
#include <cuda_runtime.h>

__global__ void shifted(const float* x, float* y, int n, int shift) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + shift;
  if (i >= n) return;
  float value = x[i];  // read
  y[i] = 2.0f * value;  // write
}

// The loads of neighbours share their sectors with the load in the middle.
__global__ void stencil(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 || i >= n - 1) return;
  float left = x[i - 1];
  float right = x[i + 1];
  y[i] = left + x[i] + right;
}

__global__ void rows(float* y, int cols, int pitch) {
  int row = blockIdx.x;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) y[row * pitch + col] = 1.0f;  // row
}

__global__ void vectors(const float4* x, float4* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i];  // vector
}

static void own_rows(int pitch) {
  float* own;
  cudaMalloc(&own, 64 * pitch * sizeof(float));
  rows<<<64, 64>>>(own, 64, pitch);
  cudaFree(own);
}

extern "C" void solve(const float* x, float* y, int n, int which) {
  switch (which) {
    case 0: shifted<<<n / 256, 256>>>(x, y, n, 0); break;
    case 1: shifted<<<n / 256, 256>>>(x, y, n, 1); break;
    case 2: shifted<<<n / 256, 256>>>(x, y, n, 8); break;
    case 3: stencil<<<n / 256, 256>>>(x, y, n); break;
    case 4: rows<<<n / 67, 64>>>(y, 64, 67); break;
    case 5: own_rows(67); break;
    case 6: own_rows(72); break;
    case 8: rows<<<1, 64>>>(y + 1001, n - 1001, 0); break;
    case 7: vectors<<<n / 1024, 256>>>(reinterpret_cast<const float4*>(x + 4), reinterpret_cast<float4*>(y), n / 4 - 1); break;
  }
}
