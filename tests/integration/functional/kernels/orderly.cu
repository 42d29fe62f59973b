// Programs that look as if they raced, and do no harm: nothing may be reported. `which` selects one.
#include <cooperative_groups.h>
#include <cuda/atomic>
constexpr int kThreads = 256, kBins = 16;
__device__ int flags[64], sums[64], lock, next_tile, copies[64];
__device__ unsigned tickets;

__global__ void reset() {
  if (threadIdx.x < 64) flags[threadIdx.x] = 0;
  lock = next_tile = 0;
}
__device__ int sum_of(const int* x, int tile) {
  int sum = 0;
  for (int i = 0; i < kThreads; ++i) sum += x[tile * kThreads + i];
  return sum;
}
// All threads store the same.
__global__ void found(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] == 3) *out = 1;
}
__global__ void count(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[x[i]], 1);
}
// The block that takes the last ticket adds up what all have left (threadFenceReduction of the CUDA samples).
__global__ void last_block(const int* x, int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum_of(x, blockIdx.x);
    __threadfence();
    last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x) return;
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += sums[b];
  *out = sum;
}
__global__ void spin_lock(const int* x, int* out) {
  if (threadIdx.x) return;
  const int sum = sum_of(x, blockIdx.x);
  while (atomicCAS(&lock, 0, 1)) {
  }
  __threadfence();
  *out += sum;
  __threadfence();
  atomicExch(&lock, 0);
}
// Decoupled look-back: a flag by volatile, the sums by plain accesses.
__global__ void look_back(const int* x, int* out) {
  if (threadIdx.x) return;
  const int tile = blockIdx.x, sum = sum_of(x, tile);
  int before = 0;
  if (tile) {
    while (!*(volatile int*)&flags[tile - 1]) {
    }
    __threadfence();
    before = sums[tile - 1];
  }
  out[tile] = sums[tile] = before + sum;
  __threadfence();
  *(volatile int*)&flags[tile] = 1;
}
// The same with tiles by ticket and the atomics of libcu++.
__global__ void look_back_by_ticket(const int* x, int* out) {
  if (threadIdx.x) return;
  const int tile = atomicAdd(&next_tile, 1), sum = sum_of(x, tile);
  int before = 0;
  if (tile) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(flags[tile - 1]);
    while (!ready.load(cuda::memory_order_acquire)) {
    }
    before = sums[tile - 1];
  }
  out[tile] = sums[tile] = before + sum;
  cuda::atomic_ref<int, cuda::thread_scope_device>(flags[tile]).store(1, cuda::memory_order_release);
}
__global__ void warp_synchronous(const int* x, int* out) {
  __shared__ volatile int s[kThreads];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * kThreads + t];
  __syncthreads();
  for (int half = kThreads / 2; half >= 32; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t < 16) {
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
  }
  if (t == 0) atomicAdd(out, s[0]);
}
// Looks before it swaps.
__global__ void first_to_swap(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && out[x[i]] == 0) atomicCAS(&out[x[i]], 0, 1);
}
__global__ void neighbours(const int* x, int* out, int n) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  if (threadIdx.x == 0) copies[blockIdx.x] = sum_of(x, blockIdx.x);
  grid.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = copies[(blockIdx.x + 1) % gridDim.x];
  grid.sync();
  if (threadIdx.x == 0) copies[blockIdx.x] = 0;
}

extern "C" void solve(const int* x, int* out, int n, int which) {
  int blocks = (n + kThreads - 1) / kThreads;
  cudaMemset(out, 0, 4 * kBins);
  reset<<<1, 64>>>();
  switch (which) {
    case 0: found<<<blocks, kThreads>>>(x, out, n); break;
    case 1: count<<<blocks, kThreads>>>(x, out, n); break;
    case 2: last_block<<<blocks, kThreads>>>(x, out); break;
    case 3: spin_lock<<<blocks, kThreads>>>(x, out); break;
    case 4: look_back<<<blocks, kThreads>>>(x, out); break;
    case 5: look_back_by_ticket<<<blocks, kThreads>>>(x, out); break;
    case 6: warp_synchronous<<<blocks, kThreads>>>(x, out); break;
    case 7: first_to_swap<<<blocks, kThreads>>>(x, out, n); break;
    case 8: {
      void* arguments[] = {&x, &out, &n};
      cudaLaunchCooperativeKernel(neighbours, dim3(blocks), dim3(kThreads), arguments);
      break;
    }
  }
}
