// Each thread computes 8×8 elements of a 64×64 tile.
__global__ void sgemm(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[8][64], tb[8][64];
  int thread = threadIdx.x, x = thread % 8 * 8, y = thread / 8 * 8;
  float sum[8][8] = {};
  for (int t = 0; t < n; t += 8) {
    for (int i = thread; i < 512; i += 64) {
      ta[i % 8][i / 8] = a[(blockIdx.y * 64 + i / 8) * n + t + i % 8];
      tb[i / 64][i % 64] = b[(t + i / 64) * n + blockIdx.x * 64 + i % 64];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k)
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] += ta[k][y + i] * tb[k][x + j];
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) c[(blockIdx.y * 64 + y + i) * n + blockIdx.x * 64 + x + j] = sum[i][j];
}

extern "C" void solve(const float* a, const float* b, float* c, int n) { sgemm<<<dim3(n / 64, n / 64), 64>>>(a, b, c, n); }
