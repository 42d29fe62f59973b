// Accesses whose sectors and wavefronts are known.
__global__ void coalesced(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i];
}

__global__ void strided(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = x[i % 64 * 64 + i / 64];  // strided
}

__global__ void transposed(const float* x, float* out) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // conflicts
}

__global__ void padded(const float* x, float* out) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void broadcast(const float4* x, float4* out) {
  __shared__ float4 values[64];
  values[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  float4 sum = values[0];
  for (int i = 1; i < 4; ++i) sum.x += values[i].x;
  out[threadIdx.x] = sum;
}

// `kind` chooses the kernel.
extern "C" void solve(const float* x, float* out, int n, int kind) {
  if (kind == 0) coalesced<<<n / 256, 256>>>(x, out, n);
  if (kind == 1) strided<<<n / 256, 256>>>(x, out, n);
  if (kind == 2) transposed<<<1, dim3(32, 32)>>>(x, out);
  if (kind == 3) padded<<<1, dim3(32, 32)>>>(x, out);
  if (kind == 4) broadcast<<<1, 64>>>((const float4*)x, (float4*)out);
}
