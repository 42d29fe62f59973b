// Work-efficient scan of 1024 elements per block, then the block sums.
__global__ void scan(const float* in, float* out, float* sums, int n) {
  __shared__ float s[1024];
  int t = threadIdx.x, at = blockIdx.x * 1024;
  s[2 * t] = at + 2 * t < n ? in[at + 2 * t] : 0;
  s[2 * t + 1] = at + 2 * t + 1 < n ? in[at + 2 * t + 1] : 0;
  int step = 1;
  for (int d = 512; d > 0; d /= 2, step *= 2) {
    __syncthreads();
    if (t < d) s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1];
  }
  __syncthreads();
  if (t == 0) sums[blockIdx.x] = s[1023], s[1023] = 0;
  for (int d = 1; d < 1024; d *= 2) {
    step /= 2;
    __syncthreads();
    if (t < d) {
      float left = s[step * (2 * t + 1) - 1];
      s[step * (2 * t + 1) - 1] = s[step * (2 * t + 2) - 1];
      s[step * (2 * t + 2) - 1] += left;
    }
  }
  __syncthreads();
  for (int i = 2 * t; i < 2 * t + 2; ++i)
    if (at + i < n) out[at + i] = s[i] + in[at + i];
}

__global__ void add(float* out, const float* sums, int n) {
  int i = blockIdx.x * 1024 + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

extern "C" void solve(const float* in, float* out, int n) {
  int blocks = (n + 1023) / 1024;
  float *sums, *more;
  cudaMalloc(&sums, 1024 * sizeof(float));
  cudaMalloc(&more, sizeof(float));
  scan<<<blocks, 512>>>(in, out, sums, n);
  scan<<<1, 512>>>(sums, sums, more, blocks);
  add<<<blocks, 1024>>>(out, sums, n);
  cudaFree(sums);
  cudaFree(more);
}
