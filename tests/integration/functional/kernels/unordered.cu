// Programs that read what nothing has put in order before the read. Each of them is right whenever the values get
// there in time. `which` selects one.
#include <cuda/atomic>
constexpr int kThreads = 256, kBins = 16;
constexpr unsigned kAll = 0xffffffffu;
__device__ int flags[64], sums[64], kept[64];
__device__ unsigned tickets;

__global__ void reset() {
  if (threadIdx.x < 64) flags[threadIdx.x] = sums[threadIdx.x] = 0;
  tickets = 0;
}
__device__ int sum_of(const int* x, int tile) {
  int sum = 0;
  for (int i = 0; i < kThreads; ++i) sum += x[tile * kThreads + i];
  return sum;
}
__device__ void add_up(const int* parts, int* out) {
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += parts[b];
  *out = sum;
}

// volatile is no barrier.
__global__ void volatile_tree(const int* x, int* out) {
  __shared__ volatile int s[kThreads];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * kThreads + t];
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];  // race: volatile_tree
  }
  if (t == 0) atomicAdd(out, s[0]);
}
__global__ void volatile_exchange(const int* x, int* out) {
  __shared__ volatile int s[kThreads];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * kThreads + t];  // race: volatile_exchange
  int other = s[t ^ 64];
  for (int distance = 16; distance > 0; distance /= 2) other += __shfl_down_sync(kAll, other, distance);
  if (t % 32 == 0) atomicAdd(out, other);
}
// The code of old, for GPUs whose warps ran in lockstep.
__global__ void volatile_in_a_warp(const int* x, int* out) {
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
    s[t] += s[t + 8];  // race: volatile_in_a_warp
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
  }
  if (t == 0) atomicAdd(out, s[0]);
}
// A word for a word: no fence, and the reader does not wait.
__global__ void volatile_between_blocks(const int* x, int* out) {
  volatile int* all = sums;
  if (threadIdx.x) return;
  all[blockIdx.x] = sum_of(x, blockIdx.x);
  if (atomicInc(&tickets, gridDim.x - 1) < gridDim.x - 1) return;
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += all[b];  // race: volatile_between_blocks
  *out = sum;
}

// The block that takes the last ticket reads what the others have written: with no fence, one too narrow, or too early.
__global__ void last_block_without_fence(const int* x, int* out) {
  if (threadIdx.x) return;
  sums[blockIdx.x] = sum_of(x, blockIdx.x);  // race: last_block_without_fence
  if (atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1) add_up(sums, out);
}
__global__ void last_block_with_block_fence(const int* x, int* out) {
  if (threadIdx.x) return;
  sums[blockIdx.x] = sum_of(x, blockIdx.x);  // race: last_block_with_block_fence
  __threadfence_block();
  if (atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1) add_up(sums, out);
}
__global__ void last_block_with_early_fence(const int* x, int* out) {
  if (threadIdx.x) return;
  const int sum = sum_of(x, blockIdx.x);
  __threadfence();
  sums[blockIdx.x] = sum;  // race: last_block_with_early_fence
  if (atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1) add_up(sums, out);
}
// The parts stay from one call to the next: they may be right already, but not for new inputs.
__global__ void last_block_keeps_parts(const int* x, int* out) {
  if (threadIdx.x) return;
  kept[blockIdx.x] = sum_of(x, blockIdx.x);  // race: last_block_keeps_parts
  if (atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1) add_up(kept, out);
}
__global__ void look_back_without_fence(const int* x, int* out) {
  if (threadIdx.x) return;
  const int tile = blockIdx.x, sum = sum_of(x, tile);
  int before = 0;
  if (tile) {
    while (!*(volatile int*)&flags[tile - 1]) {
    }
    before = sums[tile - 1];
  }
  out[tile] = sums[tile] = before + sum;  // race: look_back_without_fence
  *(volatile int*)&flags[tile] = 1;
}
__global__ void look_back_with_relaxed_flag(const int* x, int* out) {
  if (threadIdx.x) return;
  const int tile = blockIdx.x, sum = sum_of(x, tile);
  int before = 0;
  if (tile) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(flags[tile - 1]);
    while (!ready.load(cuda::memory_order_acquire)) {
    }
    before = sums[tile - 1];
  }
  out[tile] = sums[tile] = before + sum;  // race: look_back_with_relaxed_flag
  cuda::atomic_ref<int, cuda::thread_scope_device>(flags[tile]).store(1, cuda::memory_order_relaxed);
}
__global__ void look_back_with_relaxed_poll(const int* x, int* out) {
  if (threadIdx.x) return;
  const int tile = blockIdx.x, sum = sum_of(x, tile);
  int before = 0;
  if (tile) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(flags[tile - 1]);
    while (!ready.load(cuda::memory_order_relaxed)) {
    }
    before = sums[tile - 1];  // race: look_back_with_relaxed_poll
  }
  out[tile] = sums[tile] = before + sum;
  cuda::atomic_ref<int, cuda::thread_scope_device>(flags[tile]).store(1, cuda::memory_order_release);
}
// The multiprocessor may still have the sum in its L1 cache, as another block has read it before.
__global__ void lock_without_fence_after_it(const int* x, int* out) {
  if (threadIdx.x) return;
  const int sum = sum_of(x, blockIdx.x);
  while (atomicCAS(&flags[0], 0, 1)) {
  }
  *out += sum;  // race: lock_without_fence_after_it
  __threadfence();
  atomicExch(&flags[0], 0);
}
// The scope of one block does not reach another one.
__global__ void look_back_with_block_scope(const int* x, int* out) {
  if (threadIdx.x) return;
  const int tile = blockIdx.x, sum = sum_of(x, tile);
  int before = 0;
  if (tile) {
    cuda::atomic_ref<int, cuda::thread_scope_block> ready(flags[tile - 1]);
    while (!ready.load(cuda::memory_order_acquire)) {
    }
    before = sums[tile - 1];
  }
  out[tile] = sums[tile] = before + sum;  // race: look_back_with_block_scope
  cuda::atomic_ref<int, cuda::thread_scope_block>(flags[tile]).store(1, cuda::memory_order_release);
}
__global__ void sum_with_block_scope(const int* x, int* out) {
  if (threadIdx.x) return;
  atomicAdd_block(out, sum_of(x, blockIdx.x));  // race: sum_with_block_scope
}

// Lanes exchange values through shared memory, and a shuffle, a vote or half a warp meets in between.
__global__ void exchange_by_shuffle(const int* x, int* out, int n) {
  __shared__ int values[kThreads];
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = t; i < n; i += kThreads) {
    values[t] = x[i];  // race: exchange_by_shuffle
    sum += __shfl_sync(kAll, 0, 0);
    sum += values[t ^ 1];
    __syncwarp();
  }
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(kAll, sum, distance);
  if (t % 32 == 0) atomicAdd(out, sum);
}
__global__ void exchange_by_vote(const int* x, int* out, int n) {
  __shared__ int values[kThreads];
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = t; i < n; i += kThreads) {
    values[t] = x[i];  // race: exchange_by_vote
    if (__any_sync(kAll, x[i] > 99)) sum = -1;
    sum += values[t ^ 1];
    __syncwarp();
  }
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(kAll, sum, distance);
  if (t % 32 == 0) atomicAdd(out, sum);
}
__global__ void exchange_between_halves(const int* x, int* out, int n) {
  __shared__ int values[kThreads];
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = t; i < n; i += kThreads) {
    values[t] = x[i];  // race: exchange_between_halves
    __syncwarp(t % 32 < 16 ? 0xffffu : 0xffff0000u);
    sum += values[t ^ 16];
    __syncwarp();
  }
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(kAll, sum, distance);
  if (t % 32 == 0) atomicAdd(out, sum);
}

// A barrier does not clear the cache through which const __restrict__ is read.
__global__ void read_through_cache(const int* x, int* parts, int* out) {
  const int t = threadIdx.x, tile = blockIdx.x;
  parts[tile * kThreads + t] = x[tile * kThreads + t];
  __syncthreads();
  const int other = __ldg(&parts[tile * kThreads + (t ^ 64)]);  // race: read_through_cache
  atomicAdd(out, other);
}

// Nor does it clear the caches of textures and of constant memory.
__global__ void read_through_texture(const int* x, int* parts, cudaTextureObject_t texture, int* out) {
  const int t = threadIdx.x, tile = blockIdx.x;
  parts[tile * kThreads + t] = x[tile * kThreads + t];
  __syncthreads();
  const int other = tex1Dfetch<int>(texture, tile * kThreads + (t ^ 64));  // race: read_through_texture
  atomicAdd(out, other);
}
__constant__ int table[4096];
__global__ void read_constant(const int* x, int* address, int* out) {
  const int t = threadIdx.x, tile = blockIdx.x;
  address[tile * kThreads + t] = x[tile * kThreads + t];
  __syncthreads();
  const int other = table[tile * kThreads + (t ^ 64)];  // race: read_constant
  atomicAdd(out, other);
}

extern "C" void solve(const int* x, int* out, int n, int which) {
  const int blocks = (n + kThreads - 1) / kThreads;
  cudaMemset(out, 0, 4 * kBins);
  reset<<<1, 64>>>();
  switch (which) {
    case 0: volatile_tree<<<blocks, kThreads>>>(x, out); break;
    case 1: volatile_exchange<<<blocks, kThreads>>>(x, out); break;
    case 2: volatile_in_a_warp<<<blocks, kThreads>>>(x, out); break;
    case 3: volatile_between_blocks<<<blocks, kThreads>>>(x, out); break;
    case 4: last_block_without_fence<<<blocks, kThreads>>>(x, out); break;
    case 5: last_block_with_block_fence<<<blocks, kThreads>>>(x, out); break;
    case 6: last_block_with_early_fence<<<blocks, kThreads>>>(x, out); break;
    case 7: last_block_keeps_parts<<<blocks, kThreads>>>(x, out); break;
    case 8: look_back_without_fence<<<blocks, kThreads>>>(x, out); break;
    case 9: look_back_with_relaxed_flag<<<blocks, kThreads>>>(x, out); break;
    case 10: look_back_with_block_scope<<<blocks, kThreads>>>(x, out); break;
    case 11: sum_with_block_scope<<<blocks, kThreads>>>(x, out); break;
    case 12: exchange_by_shuffle<<<1, kThreads>>>(x, out, n); break;
    case 13: exchange_by_vote<<<1, kThreads>>>(x, out, n); break;
    case 14: exchange_between_halves<<<1, kThreads>>>(x, out, n); break;
    case 15: {
      int* parts;
      cudaMalloc(&parts, n * sizeof(int));
      cudaMemset(parts, 0, n * sizeof(int));
      read_through_cache<<<blocks, kThreads>>>(x, parts, out);
      cudaFree(parts);
      break;
    }
    case 16: {
      int* parts;
      cudaMalloc(&parts, n * sizeof(int));
      cudaMemset(parts, 0, n * sizeof(int));
      cudaResourceDesc resource = {};
      resource.resType = cudaResourceTypeLinear;
      resource.res.linear.devPtr = parts;
      resource.res.linear.desc = cudaCreateChannelDesc<int>();
      resource.res.linear.sizeInBytes = n * sizeof(int);
      cudaTextureDesc how = {};
      cudaTextureObject_t texture;
      cudaCreateTextureObject(&texture, &resource, &how, nullptr);
      read_through_texture<<<blocks, kThreads>>>(x, parts, texture, out);
      cudaDestroyTextureObject(texture);
      cudaFree(parts);
      break;
    }
    case 17: {
      void* address;
      cudaGetSymbolAddress(&address, table);
      cudaMemset(address, 0, sizeof table);
      read_constant<<<blocks, kThreads>>>(x, static_cast<int*>(address), out);
      break;
    }
    case 18: look_back_with_relaxed_poll<<<blocks, kThreads>>>(x, out); break;
    case 19: lock_without_fence_after_it<<<blocks, kThreads>>>(x, out); break;
  }
}
