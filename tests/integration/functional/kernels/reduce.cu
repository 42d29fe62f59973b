// Four ways to sum: tree in shared memory, warp shuffles, a volatile last warp, and one atomic per block.
__global__ void tree(const float* in, float* out, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step) s[threadIdx.x] += s[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(&out[0], s[0]);
}

__global__ void shuffle(const float* in, float* out, int n) {
  __shared__ float partial[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
    if (threadIdx.x == 0) atomicAdd(&out[1], sum);
  }
}

__device__ void last_warp(volatile float* s, int t) {
  for (int step = 32; step > 0; step /= 2) {
    const float sum = s[t] + s[t + step];
    __syncwarp();
    s[t] = sum;
    __syncwarp();
  }
}

__global__ void lockstep(const float* in, float* out, int n) {
  __shared__ float s[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (threadIdx.x < 64) s[threadIdx.x] += s[threadIdx.x + 64];
  __syncthreads();
  if (threadIdx.x < 32) last_warp(s, threadIdx.x);
  if (threadIdx.x == 0) atomicAdd(&out[2], s[0]);
}

extern "C" void solve(const float* in, float* out, int n) {
  cudaMemset(out, 0, 3 * sizeof(float));
  tree<<<(n + 255) / 256, 256>>>(in, out, n);
  shuffle<<<5, 160>>>(in, out, n);
  lockstep<<<(n + 127) / 128, 128>>>(in, out, n);
}
