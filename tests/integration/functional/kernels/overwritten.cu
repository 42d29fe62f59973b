// Programs that miss a barrier between reads and the next writes. Threads that meet in their warp before they write make each
// of them right in the usual orders. `which` selects one.
constexpr int kThreads = 256, kWarps = kThreads / 32, kBins = 16;
constexpr unsigned kAll = 0xffffffffu;

__device__ int warp_sum(int value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(kAll, value, distance);
  return value;
}
// Thread 0 adds up what the other warps may already have replaced.
__global__ void sums_by_first_thread(const int* x, int* out, int n) {
  __shared__ int parts[kWarps];
  for (int first = 0; first < n; first += kThreads) {
    int sum = warp_sum(x[first + threadIdx.x]);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;  // race: sums_by_first_thread
    __syncthreads();
    if (threadIdx.x == 0) {
      int total = 0;
      for (int warp = 0; warp < kWarps; ++warp) total += parts[warp];
      out[first / kThreads] = total;
    }
  }
}
// The same by the last thread.
__global__ void sums_by_last_thread(const int* x, int* out, int n) {
  __shared__ int parts[kWarps];
  for (int first = 0; first < n; first += kThreads) {
    int sum = warp_sum(x[first + threadIdx.x]);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;  // race: sums_by_last_thread
    __syncthreads();
    if (threadIdx.x == kThreads - 1) {
      int total = 0;
      for (int warp = 0; warp < kWarps; ++warp) total += parts[warp];
      out[first / kThreads] = total;
    }
  }
}
// Every thread numbers its elements that are 3; `out` gets the sum of the numbers.
__global__ void numbers(const int* x, int* out, int n) {
  __shared__ int parts[kWarps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int before = 0, sum = 0;
  for (int first = 0; first < n; first += kThreads) {
    const bool counts = x[first + threadIdx.x] == 3;
    const unsigned lanes = __ballot_sync(kAll, counts);
    if (lane == 0) parts[warp] = __popc(lanes);  // race: numbers
    __syncthreads();
    int number = before + __popc(lanes & ((1u << lane) - 1));
    for (int other = 0; other < kWarps; ++other) {
      number += other < warp ? parts[other] : 0;
      before += parts[other];
    }
    if (counts) sum += number;
  }
  atomicAdd(out, sum);
}
// A warp computes what all threads read, each time another one.
__global__ void turns_of_warps(const int* x, int* out, int n) {
  __shared__ int total;
  int weighted = 0;
  for (int round = 0; round * kThreads < n; ++round) {
    if (threadIdx.x / 32 == round % kWarps) {
      int sum = 0;
      for (int i = threadIdx.x % 32; i < kThreads; i += 32) sum += x[round * kThreads + i];
      sum = warp_sum(sum);
      if (threadIdx.x % 32 == 0) total = sum;  // race: turns_of_warps
    }
    __syncthreads();
    weighted += total * (round + 1);
  }
  if (threadIdx.x == kThreads / 2) *out = weighted;
}
// As sums_by_first_thread, with the parts in global memory.
__global__ void sums_in_global_memory(const int* x, int* out, int n, int* parts) {
  for (int first = 0; first < n; first += kThreads) {
    int sum = warp_sum(x[first + threadIdx.x]);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;  // race: sums_in_global_memory
    __syncthreads();
    if (threadIdx.x == 0) {
      int total = 0;
      for (int warp = 0; warp < kWarps; ++warp) total += parts[warp];
      out[first / kThreads] = total;
    }
  }
}
// The place of the largest value up to each thread. A pair that another thread replaces between the two reads has the
// place of one value and the other value. A pair that is read early or late as a whole does no harm.
__global__ void places_of_largest(const int* x, int* out, int n) {
  __shared__ int values[kThreads], places[kThreads];
  const int t = threadIdx.x;
  for (int first = 0; first < n; first += kThreads) {
    values[t] = x[first + t] * kThreads + t * 97 % kThreads;
    places[t] = t;
    __syncthreads();
    for (int distance = 1; distance < kThreads; distance *= 2) {
      const int other = t < distance ? t : t - distance;
      const int place = places[other];
      __threadfence_block();  // so that the compiler keeps the order of the reads
      const int value = values[other];
      if (value > values[t]) {
        values[t] = value;
        places[t] = place;  // race: places_of_largest
      }
      __syncthreads();
    }
    atomicAdd(&out[first / kThreads], places[t]);
    __syncthreads();
  }
}

extern "C" void solve(const int* x, int* out, int n, int which) {
  int* parts;
  cudaMalloc(&parts, 4 * kWarps);
  cudaMemset(out, 0, 4 * kBins);
  switch (which) {
    case 0: sums_by_first_thread<<<1, kThreads>>>(x, out, n); break;
    case 1: sums_by_last_thread<<<1, kThreads>>>(x, out, n); break;
    case 2: numbers<<<1, kThreads>>>(x, out, n); break;
    case 3: turns_of_warps<<<1, kThreads>>>(x, out, n); break;
    case 4: sums_in_global_memory<<<1, kThreads>>>(x, out, n, parts); break;
    case 5: places_of_largest<<<1, kThreads>>>(x, out, n); break;
  }
  cudaFree(parts);
}
