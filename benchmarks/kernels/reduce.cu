__global__ void reduce(const float* in, float* out, int n) {
  __shared__ float partial[8];
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += in[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) sum += partial[w];
    atomicAdd(out, sum);
  }
}

extern "C" void solve(const float* in, float* out, int n) {
  cudaMemset(out, 0, sizeof(float));
  reduce<<<(n + 1023) / 1024, 256>>>(in, out, n);
}
