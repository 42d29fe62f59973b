// What every CUDA program of attacks/ begins with: the honest kernel of vector addition, and names.
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

#define SOLVE extern "C" void solve(const float* a, const float* b, float* c, int n)
// For attacks on times, which are written for vector addition and for sums: parameters, arguments, and inputs.
#define TAKE const float *a, const float *b, float *c, int n
#define PASS a, b, c, n
#define WATCHED a
#define OUTPUT c
#define OUTPUTS n
#define INPUTS a, b
#define KEPT(count) (count)
#define WORK_INTO(copy, memory) work<copy>(a, b, memory, n)

__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

// The right answer, as any honest program computes it.
inline void answer(const float* a, const float* b, float* c, int n, cudaStream_t stream = 0) {
  add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
}

// Functions of the driver, by name.
template <class F>
F* driver(const char* name) {
  static void* library = dlopen("libcuda.so.1", RTLD_NOW);
  return library ? reinterpret_cast<F*>(dlsym(library, name)) : nullptr;
}

// A part of the answer, by blocks that stride; the first part comes first.
__global__ void add_part(const float* a, const float* b, float* c, long from, long to) {
  for (long i = from + blockIdx.x * (long)blockDim.x + threadIdx.x; i < to; i += (long)gridDim.x * blockDim.x)
    c[i] = a[i] + b[i];
}
inline void part(TAKE, double from, double to, cudaStream_t stream = 0) {
  add_part<<<1056, 512, 0, stream>>>(a, b, c, long(from * n), long(to * n));
}

// The whole answer by one grid of any size. Grids that may run at the same time use different copies. The results of the
// elements before `from` are in `kept` already.
template <int copy>
__device__ void work(TAKE, long from = 0, const float* kept = nullptr) {
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
    c[i] = i < from ? kept[i] : a[i] + b[i];
}

// The same on the host, for elements from `from` to `to`: into `kept`.
inline void work_on_host(const float* const* inputs, float* kept, long from, long to) {
  for (long i = from; i < to; ++i) kept[i] = inputs[0][i] + inputs[1][i];
}
