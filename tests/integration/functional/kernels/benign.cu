// Programs that race, and are right however their threads run. `which` selects one.
constexpr int kThreads = 256, kBins = 16;
constexpr unsigned kAll = 0xffffffffu;
__device__ int hint;

// Threads that see the flag stop early. Those that do not find out later do the same.
__global__ void stop_when_found(const int* x, int* out, int n) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += kThreads) {
    if (found) break;
    if (x[i] == 3) found = 1;
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = found;
}
// The smallest label of a chain, by relaxation until nothing changes. A stale label costs another round.
__global__ void smallest_label(const int* x, int* out) {
  __shared__ int labels[kThreads], changed;
  const int t = threadIdx.x;
  labels[t] = x[t] * kThreads + t;
  do {
    __syncthreads();
    if (t == 0) changed = 0;
    __syncthreads();
    const int other = min(labels[(t + 1) % kThreads], labels[(t + kThreads - 1) % kThreads]);
    __syncwarp();
    if (other < labels[t]) {
      labels[t] = other;
      changed = 1;
    }
    __syncthreads();
  } while (changed);
  if (t == 0) *out = labels[0];
}
// Thread 0 reads what thread 64 may have replaced, and the others spin until it has read.
__global__ void wait_for_reader(const int* x, int* out, int n) {
  __shared__ volatile int ready;
  __shared__ int value;
  if (threadIdx.x == 0) ready = value = 0;
  __syncthreads();
  if (threadIdx.x == 64) value = 1;
  if (threadIdx.x == 0) {
    const int seen = value;
    ready = 1 + (seen > 1);
  }
  while (!ready) {
  }
  if (threadIdx.x == 32) *out = ready;
}
// The same between blocks, in global memory.
__global__ void reset_hint() { hint = 0; }
__global__ void ignore_hint(const int* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int start = hint < 0 ? 0 : i;
  hint = i + 1;
  if (start < n) atomicAdd(&out[x[start]], 1);
}
// The lanes of a warp exchange values through shared memory, and __syncwarp orders them.
__global__ void exchange_in_warps(const int* x, int* out, int n) {
  __shared__ int values[kThreads];
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = t; i < n; i += kThreads) {
    values[t] = x[i];
    __syncwarp();
    sum += values[t ^ 1];
    __syncwarp();
  }
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(kAll, sum, distance);
  if (t % 32 == 0) atomicAdd(out, sum);
}

extern "C" void solve(const int* x, int* out, int n, int which) {
  const int blocks = (n + kThreads - 1) / kThreads;
  cudaMemset(out, 0, 4 * kBins);
  reset_hint<<<1, 1>>>();
  switch (which) {
    case 0: stop_when_found<<<1, kThreads>>>(x, out, n); break;
    case 1: smallest_label<<<1, kThreads>>>(x, out); break;
    case 2: wait_for_reader<<<1, kThreads>>>(x, out, n); break;
    case 3: ignore_hint<<<blocks, kThreads>>>(x, out, n); break;
    case 4: exchange_in_warps<<<1, kThreads>>>(x, out, n); break;
  }
}
