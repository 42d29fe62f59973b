// Programs whose traces are known.
__global__ void reversed(const float* x, float* out, int n) {
  __shared__ float tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : 0.0f;  // load
  __syncthreads();  // barrier
  if (i < n) out[i] = tile[63 - threadIdx.x];  // store
}

__global__ void scattered(const float* x, float* out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int round = 0; round < rounds; ++round) sum += x[(i * 37 + round * 101) % n];  // scattered
  atomicAdd(&out[i % 8], sum);  // update
}

__global__ void too_far(const float* x, float* out, int n) {
  out[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 5) out[n] = 1.0f;  // too far
}

// `kind` chooses the kernel.
extern "C" void solve(const float* x, float* out, int n, int kind, int rounds) {
  if (kind == 0) reversed<<<(n + 63) / 64, 64>>>(x, out, n);
  if (kind == 1) scattered<<<n / 128, 128>>>(x, out, n, rounds);
  if (kind == 2) too_far<<<1, 64>>>(x, out, n);
  if (kind == 3) scattered<<<1, 1>>>(x, out, n, rounds);
  for (int i = 0; kind == 4 && i < rounds; ++i) reversed<<<1, 64>>>(x, out, 64);
}
