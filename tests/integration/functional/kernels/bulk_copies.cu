// Bulk copies and mbarriers with transactions, as inline PTX, since their C++ functions need compute capability 9.0. Each
// kernel copies n words with a block of 128 threads, and `output` gets them.
#include <cuda_runtime.h>

constexpr int kWords = 512;

__device__ unsigned place_of(const void* pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); }

__device__ void start(void* target, const void* source, unsigned bytes, unsigned long long* gate) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"  // copy
               ::"r"(place_of(target)), "l"(source), "r"(bytes), "r"(place_of(gate)) : "memory");
}

__device__ void expect(unsigned long long* gate, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place_of(gate)), "r"(bytes) : "memory");
}

__device__ void wait(unsigned long long* gate, unsigned parity) {
  asm volatile(
      "{ .reg .pred done;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again; }" ::"r"(place_of(gate)), "r"(parity) : "memory");
}

// Two copies for one phase, then one of the next phase.
__global__ void waits(const int* input, int* output, int n) {
  __shared__ alignas(16) int words[kWords];
  __shared__ unsigned long long gate;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place_of(&gate)));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(&gate, 4 * kWords);
    start(words, input, 2 * kWords, &gate);
    start(words + kWords / 2, input + kWords / 2, 2 * kWords, &gate);
  }
  wait(&gate, 0);
  for (int i = threadIdx.x; i < kWords; i += blockDim.x) output[i] = words[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    start(words, input + kWords, 4 * kWords, &gate);
    expect(&gate, 4 * kWords);
  }
  wait(&gate, 1);
  for (int i = threadIdx.x; i < kWords; i += blockDim.x) output[kWords + i] = words[i];
}

// Reads the target without a look at the mbarrier.
__global__ void never_waits(const int* input, int* output, int n) {
  __shared__ alignas(16) int words[kWords];
  __shared__ unsigned long long gate;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place_of(&gate)));
    expect(&gate, 4 * kWords);
    start(words, input, 4 * kWords, &gate);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kWords; i += blockDim.x) output[i] = words[i];  // read
}

// Back to global memory: output = input + 1.
__global__ void stores(const int* input, int* output, int n) {
  __shared__ alignas(16) int words[kWords];
  for (int i = threadIdx.x; i < kWords; i += blockDim.x) words[i] = input[i] + 1;
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(output), "r"(place_of(words)),
                 "r"(4 * kWords) : "memory");
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group 0;");
  }
}

// The last unit lies beyond the array.
__global__ void too_long(const int* input, int* output, int n) {
  __shared__ alignas(16) int words[kWords];
  __shared__ unsigned long long gate;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place_of(&gate)));
    expect(&gate, 4 * kWords);
    start(words, input + n - kWords + 4, 4 * kWords, &gate);
  }
  wait(&gate, 0);
}

__global__ void odd_size(const int* input, int* output, int n) {
  __shared__ alignas(16) int words[kWords];
  __shared__ unsigned long long gate;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place_of(&gate)));
    start(words, input, 20, &gate);
  }
}

__global__ void tensor(const int* input, int* output, int n) {
  __shared__ alignas(128) int words[kWords];
  __shared__ unsigned long long gate;
  asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];"
               ::"r"(place_of(words)), "l"(input), "r"(0), "r"(place_of(&gate)) : "memory");
  output[0] = words[0];
}

// The last four words of the array are three: the copy reads three words and fills the fourth with zero.
__global__ void short_tail(const int* input, int* output, int n) {
  __shared__ alignas(16) int words[kWords];
  int first = 4 * threadIdx.x;
  int left = n - first;
  unsigned bytes = left >= 4 ? 16 : left > 0 ? 4 * left : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place_of(words + first)), "l"(input + first),
               "r"(bytes) : "memory");
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  for (int i = threadIdx.x; i < kWords; i += blockDim.x) output[i] = words[i];
}

// As short_tail, but it reads a word too many.
__global__ void long_tail(const int* input, int* output, int n) {
  __shared__ alignas(16) int words[kWords];
  int first = 4 * threadIdx.x;
  unsigned bytes = first + 4 <= n ? 16 : 4 * (n - first) + 4;
  unsigned target = place_of(words + first);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(input + first), "r"(bytes));  // tail
  asm volatile("cp.async.wait_all;");
  output[threadIdx.x] = words[first];
}

extern "C" void solve(const int* input, int* output, int n, int which) {
  switch (which) {
    case 0: waits<<<1, 128>>>(input, output, n); break;
    case 1: never_waits<<<1, 128>>>(input, output, n); break;
    case 2: stores<<<1, 128>>>(input, output, n); break;
    case 3: too_long<<<1, 128>>>(input, output, n); break;
    case 4: odd_size<<<1, 128>>>(input, output, n); break;
    case 5: tensor<<<1, 1>>>(input, output, n); break;
    case 6: short_tail<<<1, 128>>>(input, output, n); break;
    case 7: long_tail<<<1, 128>>>(input, output, n); break;
  }
}
