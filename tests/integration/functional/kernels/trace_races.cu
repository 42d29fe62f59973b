// Programs that race, for the marks of a replay.
__global__ void shifted(const float* x, float* out) {
  __shared__ float other[64], tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  other[threadIdx.x] = 2 * x[i];
  tile[threadIdx.x] = x[i];  // store
  out[i] = tile[(threadIdx.x + 1) % 64] + other[threadIdx.x];  // neighbour's load
}

__global__ void summed(const float* x, float* out, int rounds) {
  __shared__ float tile[64];
  for (int round = 0; round < rounds; ++round) {
    tile[threadIdx.x] = x[threadIdx.x] + round;  // write of a round
    __syncthreads();
    out[64 * round + threadIdx.x] = tile[(threadIdx.x + 32) % 64];  // read of a round
  }
}

__global__ void chained(const float* x, float* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (blockIdx.x && !threadIdx.x) out[i] = out[i - 1] + x[i];  // read of another block
  if (threadIdx.x) out[i] = x[i];  // write of a block
}

// `kind` chooses the kernel.
extern "C" void solve(const float* x, float* out, int n, int kind) {
  if (kind == 0) shifted<<<n / 64, 64>>>(x, out);
  if (kind == 1) summed<<<1, 64>>>(x, out, 3);
  if (kind == 2) chained<<<n / 64, 64>>>(x, out);
}
