// Programs that are right by luck in some runs of a GPU. `which` selects one.
constexpr int kThreads = 256;

__global__ void largest(const int* x, int* out, int n) {  // the slots of warps that do not exist are never written
  __shared__ float slots[32];
  float found = -1e30f;
  for (int i = threadIdx.x; i < n; i += kThreads) found = fmaxf(found, x[i]);
  for (int step = 16; step; step /= 2) found = fmaxf(found, __shfl_xor_sync(~0u, found, step));
  if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = found;
  __syncthreads();
  found = slots[threadIdx.x % 32];
  for (int step = 16; step; step /= 2) found = fmaxf(found, __shfl_xor_sync(~0u, found, step));
  if (threadIdx.x == 0) *out = found;
}
__global__ void least(const int* x, int* kept, int n) {  // nothing has written `kept` before
  for (int i = threadIdx.x; i < n; i += kThreads) atomicMin(kept, x[i]);
}
__global__ void copy(const int* kept, int* out) { *out = *kept; }
__global__ void harmless(volatile int* scratch) {
  for (int i = 0; i < 150; ++i) scratch[blockIdx.x * 1024 + threadIdx.x] = i;
}
__global__ void count(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[x[i]]++;
}
__global__ void sum_from_nothing(const int* x, int* out, int n) {  // nothing has written `sum` before
  int sum;
  for (int i = threadIdx.x; i < n; i += kThreads) sum += x[i];
  atomicAdd(out, sum);
}
__global__ void count_from_nothing(const int* x, int* out, int n) {  // likewise, in local memory
  int counts[16];
  for (int i = threadIdx.x; i < n; i += kThreads) ++counts[x[i]];
  for (int bin = 0; bin < 16; ++bin) atomicAdd(&out[bin], counts[bin]);
}

extern "C" void solve(const int* x, int* out, int n, int which) {
  int* scratch;
  cudaMalloc(&scratch, 16384);
  cudaMemset(out, 0, 64);
  switch (which) {
    case 0: largest<<<1, kThreads>>>(x, out, n); break;
    case 1:
      least<<<1, kThreads>>>(x, scratch, n);
      copy<<<1, 1>>>(scratch, out);
      break;
    case 2:  // uses up the turns of the call first
      for (int k = 0; k < 6; ++k) harmless<<<4, 1024>>>(scratch);
      count<<<(n + kThreads - 1) / kThreads, kThreads>>>(x, out, n);
      break;
    case 3: sum_from_nothing<<<1, kThreads>>>(x, out, n); break;
    case 4: count_from_nothing<<<1, kThreads>>>(x, out, n); break;
  }
  cudaFree(scratch);
}
