// Tiled matrix product: static shared memory for odd shapes, dynamic shared memory for the second output.
constexpr int kTile = 16;

__global__ void tiled(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile + 1];
  int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += kTile) {
    tile_a[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < n ? a[row * n + t + threadIdx.x] : 0;
    tile_b[threadIdx.y][threadIdx.x] = column < k && t + threadIdx.y < n ? b[(t + threadIdx.y) * k + column] : 0;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < k) c[row * k + column] = sum;
}

__global__ void tiled_dynamic(const float* a, const float* b, float* c, int m, int n, int k) {
  extern __shared__ float tiles[];
  float *tile_a = tiles, *tile_b = tiles + blockDim.x * blockDim.y;
  int tile = blockDim.x;
  int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  int at = threadIdx.y * tile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += tile) {
    tile_a[at] = row < m && t + threadIdx.x < n ? a[row * n + t + threadIdx.x] : 0;
    tile_b[at] = column < k && t + threadIdx.y < n ? b[(t + threadIdx.y) * k + column] : 0;
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += tile_a[threadIdx.y * tile + i] * tile_b[i * tile + threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < k) c[row * k + column] = sum;
}

extern "C" void solve(const float* a, const float* b, float* c, float* d, int m, int n, int k) {
  dim3 block(kTile, kTile), grid((k + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  tiled<<<grid, block>>>(a, b, c, m, n, k);
  size_t bytes = 2 * 32 * 32 * sizeof(float) + 60000;
  cudaFuncSetAttribute(tiled_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  tiled_dynamic<<<dim3((k + 31) / 32, (m + 31) / 32), dim3(32, 32), bytes>>>(a, b, d, m, n, k);
}
