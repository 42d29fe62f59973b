// Asynchronous copies to shared memory: programs that wait for them, and some that do not. `which` is one.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#pragma nv_diag_suppress static_var_with_dynamic_init  // init() sets the barrier
constexpr int kThreads = 256, kBins = 16;
namespace cg = cooperative_groups;

__device__ void add_of_warp(int sum, int* out) {
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

// Two tiles in turn: the next one is fetched while this one is summed.
template <int kLeft, bool kBarrier>
__device__ void two_tiles(const int* x, int* out, int n) {
  __shared__ int tiles[2][kThreads];
  const int t = threadIdx.x;
  int sum = 0;
  __pipeline_memcpy_async(&tiles[0][t], &x[t], 4);
  __pipeline_commit();
  for (int tile = 0; tile * kThreads < n; ++tile) {
    const int next = (tile + 1) * kThreads;
    if (next < n) __pipeline_memcpy_async(&tiles[(tile + 1) % 2][t], &x[next + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(kLeft);
    if (kBarrier) __syncthreads();
    sum += tiles[tile % 2][t ^ (kBarrier ? 77 : 0)];
    if (kBarrier) __syncthreads();
  }
  add_of_warp(sum, out);
}
__global__ void own_words(const int* x, int* out, int n) { two_tiles<1, false>(x, out, n); }
__global__ void words_of_others(const int* x, int* out, int n) { two_tiles<1, true>(x, out, n); }
__global__ void by_group(const int* x, int* out, int n) {
  __shared__ int tile[kThreads];
  auto block = cg::this_thread_block();
  int sum = 0;
  for (int first = 0; first < n; first += kThreads) {
    cg::memcpy_async(block, tile, x + first, sizeof tile);
    cg::wait(block);
    sum += tile[threadIdx.x ^ 77];
    block.sync();
  }
  add_of_warp(sum, out);
}
__global__ void by_barrier(const int* x, int* out, int n) {
  __shared__ int tile[kThreads];
  __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
  if (threadIdx.x == 0) init(&arrived, kThreads);
  __syncthreads();
  int sum = 0;
  for (int first = 0; first < n; first += kThreads) {
    cuda::memcpy_async(&tile[threadIdx.x], &x[first + threadIdx.x], 4, arrived);
    arrived.arrive_and_wait();
    sum += tile[threadIdx.x ^ 77];
    __syncthreads();
  }
  add_of_warp(sum, out);
}
__global__ void by_pipeline(const int* x, int* out, int n) {
  __shared__ int tile[kThreads];
  auto pipeline = cuda::make_pipeline();
  int sum = 0;
  for (int first = 0; first < n; first += kThreads) {
    pipeline.producer_acquire();
    cuda::memcpy_async(&tile[threadIdx.x], &x[first + threadIdx.x], 4, pipeline);
    pipeline.producer_commit();
    pipeline.consumer_wait();
    __syncthreads();
    sum += tile[threadIdx.x ^ 77];
    __syncthreads();
    pipeline.consumer_release();
  }
  add_of_warp(sum, out);
}
// Two stages whose state the block shares: mbarriers track the copies.
__global__ void by_stages(const int* x, int* out, int n) {
  __shared__ int tiles[2][kThreads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipeline = cuda::make_pipeline(cg::this_thread_block(), &state);
  const int count = n / kThreads;
  int sum = 0;
  for (int tile = 0, fetched = 0; tile < count; ++tile) {
    for (; fetched < count && fetched < tile + 2; ++fetched) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&tiles[fetched % 2][threadIdx.x], &x[fetched * kThreads + threadIdx.x], 4, pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    sum += tiles[tile % 2][threadIdx.x ^ 77];
    pipeline.consumer_release();
  }
  add_of_warp(sum, out);
}
// Three tiles in turn, four words to a copy; what lies past the end becomes zero.
__global__ void wide_copies(const int* x, int* out, int n) {
  constexpr int kSize = 4 * kThreads;
  __shared__ __align__(16) int tiles[3][kSize];
  const int t = threadIdx.x, count = n / kSize + 1;
  auto fetch = [&](int tile) {
    const int first = tile * kSize + t * 4;
    const bool there = first < n;
    if (tile < count) __pipeline_memcpy_async(&tiles[tile % 3][t * 4], &x[there ? first : 0], 16, there ? 0 : 16);
    __pipeline_commit();
  };
  int sum = 0;
  fetch(0);
  fetch(1);
  for (int tile = 0; tile < count; ++tile) {
    __pipeline_wait_prior(1);
    __syncthreads();
    fetch(tile + 2);
    for (int i = t; i < kSize; i += kThreads) sum += tiles[tile % 3][i];
  }
  add_of_warp(sum, out);
}

__global__ void never_waits(const int* x, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &x[blockIdx.x * kThreads + t], 4);  // copy: never_waits
  __pipeline_commit();
  add_of_warp(tile[t], out);  // read: never_waits
}
__global__ void barrier_alone(const int* x, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &x[blockIdx.x * kThreads + t], 4);  // copy: barrier_alone
  __pipeline_commit();
  __syncthreads();
  add_of_warp(tile[t ^ 77], out);  // read: barrier_alone
}
__global__ void waits_for_the_one_before(const int* x, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &x[blockIdx.x * kThreads + t], 4);  // copy: waits_for_the_one_before
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  add_of_warp(tile[t ^ 77], out);  // read: waits_for_the_one_before
}
__global__ void waits_without_barrier(const int* x, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &x[blockIdx.x * kThreads + t], 4);  // copy: waits_without_barrier
  __pipeline_commit();
  __pipeline_wait_prior(0);
  add_of_warp(tile[t ^ 77], out);  // read: waits_without_barrier
}
__global__ void starts_while_others_read(const int* x, int* out, int n) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  int sum = 0;
  for (int first = 0; first < n; first += kThreads) {
    __pipeline_memcpy_async(&tile[t], &x[first + t], 4);  // copy: starts_while_others_read
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    sum += tile[t ^ 77];  // read: starts_while_others_read
  }
  add_of_warp(sum, out);
}

extern "C" void solve(const int* x, int* out, int n, int which) {
  const int blocks = (n + kThreads - 1) / kThreads;
  cudaMemset(out, 0, 4 * kBins);
  switch (which) {
    case 0: own_words<<<1, kThreads>>>(x, out, n); break;
    case 1: words_of_others<<<1, kThreads>>>(x, out, n); break;
    case 2: by_group<<<1, kThreads>>>(x, out, n); break;
    case 3: by_barrier<<<1, kThreads>>>(x, out, n); break;
    case 4: by_pipeline<<<1, kThreads>>>(x, out, n); break;
    case 5: by_stages<<<1, kThreads>>>(x, out, n); break;
    case 6: wide_copies<<<1, kThreads>>>(x, out, n); break;
    case 7: never_waits<<<blocks, kThreads>>>(x, out); break;
    case 8: barrier_alone<<<blocks, kThreads>>>(x, out); break;
    case 9: waits_for_the_one_before<<<blocks, kThreads>>>(x, out); break;
    case 10: waits_without_barrier<<<blocks, kThreads>>>(x, out); break;
    case 11: starts_while_others_read<<<1, kThreads>>>(x, out, n); break;
  }
}
