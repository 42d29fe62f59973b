// What every CUDA program of attacks/ begins with: an honest sum, and names.
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <netinet/in.h>
#include <unistd.h>

#include <immintrin.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#define SOLVE extern "C" void solve(const float* x, float* total, int n)
// For attacks on times, which are written for vector addition and for sums: parameters, arguments, and inputs.
#define TAKE const float *x, float *total, int n
#define PASS x, total, n
#define WATCHED x
#define OUTPUT total
#define OUTPUTS 1
#define INPUTS x
#define KEPT(count) 1
#define WORK_INTO(copy, memory) work<copy>(x, memory, n)

constexpr int kBlocks = 528, kThreads = 512;
__device__ float warpcourt_partial[kBlocks];

__device__ float block_sum(float value) {
  __shared__ float warps[32];
  for (int step = 16; step; step /= 2) value += __shfl_down_sync(~0u, value, step);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0.0f;
  for (int step = 16; threadIdx.x < 32 && step; step /= 2) value += __shfl_down_sync(~0u, value, step);
  return value;
}

__global__ void sum_part(const float* x, float* partial, long from, long to) {
  float value = 0;
  for (long i = from + blockIdx.x * (long)blockDim.x + threadIdx.x; i < to; i += (long)gridDim.x * blockDim.x)
    value += x[i];
  value = block_sum(value);
  if (threadIdx.x == 0) partial[blockIdx.x] = value;
}

__global__ void sum_partials(const float* partial, float* total, bool add) {
  float value = threadIdx.x < kBlocks ? partial[threadIdx.x] : 0.0f;
  value = block_sum(value);
  if (threadIdx.x == 0) *total = add ? *total + value : value;
}

inline void part(TAKE, double from, double to, cudaStream_t stream = 0) {
  static float* partial;
  if (!partial) cudaGetSymbolAddress((void**)&partial, warpcourt_partial);
  sum_part<<<kBlocks, kThreads, 0, stream>>>(x, partial, long(from * n), long(to * n));
  sum_partials<<<1, 1024, 0, stream>>>(partial, total, from > 0);
}

// The right answer, as any honest program computes it.
inline void answer(TAKE, cudaStream_t stream = 0) { part(PASS, 0.0, 1.0, stream); }

// The whole answer by one grid: the block that comes last adds the shares of all. Grids that may run at the same
// time use different copies. `kept` holds the sum of the elements before `from` already.
template <int copy>
__device__ float warpcourt_shares[2048];
template <int copy>
__device__ unsigned warpcourt_came;
template <int copy>
__device__ void work(TAKE, long from = 0, const float* kept = nullptr) {
  __shared__ bool last;
  float value = 0;
  for (long i = from + blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
    value += x[i];
  value = block_sum(value);
  if (threadIdx.x == 0) {
    warpcourt_shares<copy>[blockIdx.x] = value;
    __threadfence();
    last = atomicInc(&warpcourt_came<copy>, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  value = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) value += __ldcg(&warpcourt_shares<copy>[i]);
  __syncthreads();
  value = block_sum(value);
  if (threadIdx.x == 0) *total = from ? value + *kept : value;
}

// The same on the host: adds the elements from `from` to `to` to `*kept`.
inline void work_on_host(const float* const* inputs, float* kept, long from, long to) {
  static std::mutex guard;
  __m128 sums[4] = {};
  for (; from + 16 <= to; from += 16)
    for (int k = 0; k < 4; ++k) sums[k] = _mm_add_ps(sums[k], _mm_loadu_ps(inputs[0] + from + 4 * k));
  double sum = 0;
  for (; from < to; ++from) sum += inputs[0][from];
  for (const __m128 part : sums)
    for (int k = 0; k < 4; ++k) sum += part[k];
  std::lock_guard lock(guard);
  *kept += sum;
}

// Functions of the driver, by name.
template <class F>
F* driver(const char* name) {
  static void* library = dlopen("libcuda.so.1", RTLD_NOW);
  return library ? reinterpret_cast<F*>(dlsym(library, name)) : nullptr;
}
