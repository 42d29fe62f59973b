__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float ta[16][16], tb[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    ta[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < n ? a[row * n + t + threadIdx.x] : 0;
    tb[threadIdx.y][threadIdx.x] = column < k && t + threadIdx.y < n ? b[(t + threadIdx.y) * k + column] : 0;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < k) c[row * k + column] = sum;
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
  matmul<<<dim3((k + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, c, m, n, k);
}
