// Programs with a data race, each of them right in some order of blocks and threads. `which` selects one.
constexpr int kThreads = 256, kBins = 16;
__device__ int total;

__global__ void count(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[x[i]]++;  // race: count
}
__global__ void sum(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[0] += x[i];  // race: sum
}
__global__ void sum_of_one_block(const int* x, int* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[0] += x[i];  // race: sum_of_one_block
}
__global__ void sum_of_parts(const int* x, int* out, int n) {
  __shared__ int part;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) part = 0;
  __syncthreads();
  if (i < n) atomicAdd(&part, x[i]);
  __syncthreads();
  if (threadIdx.x == 0) *out += part;  // race: sum_of_parts
}
__global__ void sum_in_variable(const int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) total += x[i];  // race: sum_in_variable
}
__global__ void clear_total() { total = 0; }
__global__ void copy_total(int* out) { *out = total; }
__global__ void zero_and_add(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) *out = 0;  // race: zero_and_add
  __syncthreads();
  if (i < n) atomicAdd(out, x[i]);
}
__global__ void zero_fence_and_add(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) {
    *out = 0;  // race: zero_fence_and_add
    __threadfence();
  }
  __syncthreads();
  if (i < n) atomicAdd(out, x[i]);
}
__global__ void count_in_shared(const int* x, int* out, int n) {
  __shared__ int own[kBins];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < kBins) own[threadIdx.x] = 0;
  __syncthreads();
  if (i < n) own[x[i]] += 1;  // race: count_in_shared
  __syncthreads();
  if (threadIdx.x < kBins) atomicAdd(&out[threadIdx.x], own[threadIdx.x]);
}
__global__ void carry(const int* x, int* out, int n) {
  if (threadIdx.x) return;
  int sum = blockIdx.x ? out[blockIdx.x - 1] : 0;  // race: carry
  for (int i = 0; i < kThreads; ++i) sum += x[blockIdx.x * kThreads + i];
  out[blockIdx.x] = sum;
}
__global__ void last_block_of_all(const int* x, int* out, int* parts) {
  if (threadIdx.x) return;
  int sum = 0;
  for (int i = 0; i < kThreads; ++i) sum += x[blockIdx.x * kThreads + i];
  parts[blockIdx.x] = sum;
  if (blockIdx.x + 1 < gridDim.x) return;
  for (int b = 0; b + 1 < gridDim.x; ++b) sum += parts[b];  // race: last_block_of_all
  *out = sum;
}
// The blocks get to the sum at very different times.
__global__ void sum_after_detours(const int* x, int* out, int n) {
  if (threadIdx.x) return;
  int sum = 0;
  for (int i = 0; i < kThreads; ++i) sum += x[blockIdx.x * kThreads + i];
  for (int i = 0; i < blockIdx.x * 300; ++i) sum += x[i % n] > 99;
  *out += sum;  // race: sum_after_detours
}
// Bytes of one word.
__global__ void count_in_bytes(const int* x, int* out, int n) {
  __shared__ unsigned char own[kBins];
  if (threadIdx.x < kBins) own[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < 64) own[x[threadIdx.x]]++;  // race: count_in_bytes
  __syncthreads();
  if (threadIdx.x < kBins) out[threadIdx.x] = own[threadIdx.x];
}
// No data race by the letter, since all is volatile; additions get lost all the same.
__global__ void volatile_sum(const int* x, int* out, int n) {
  if (threadIdx.x) return;
  int sum = 0;
  for (int i = 0; i < kThreads; ++i) sum += x[blockIdx.x * kThreads + i];
  *(volatile int*)out += sum;
}
// Likewise: every block may be the first that gets a ticket.
__global__ void ticket_is_index(const int* x, int* out, int* ticket) {
  if (threadIdx.x) return;
  int sum = 0;
  for (int i = 0; i < kThreads; ++i) sum += x[blockIdx.x * kThreads + i];
  out[atomicAdd(ticket, 1)] = sum;
}

extern "C" void solve(const int* x, int* out, int n, int which) {
  int blocks = (n + kThreads - 1) / kThreads, *scratch;
  cudaMalloc(&scratch, 4 * blocks);
  cudaMemset(scratch, 0, 4 * blocks);
  const bool zeroes = which == 5 || which == 6;
  cudaMemset(out + zeroes, 0, 4 * (kBins - zeroes));
  switch (which) {
    case 0: count<<<blocks, kThreads>>>(x, out, n); break;
    case 1: sum<<<blocks, kThreads>>>(x, out, n); break;
    case 2: sum_of_one_block<<<1, kThreads>>>(x, out, n); break;
    case 3: sum_of_parts<<<blocks, kThreads>>>(x, out, n); break;
    case 4:
      clear_total<<<1, 1>>>();
      sum_in_variable<<<blocks, kThreads>>>(x, n);
      copy_total<<<1, 1>>>(out);
      break;
    case 5: zero_and_add<<<blocks, kThreads>>>(x, out, n); break;
    case 6: zero_fence_and_add<<<blocks, kThreads>>>(x, out, n); break;
    case 7: count_in_shared<<<blocks, kThreads>>>(x, out, n); break;
    case 8: carry<<<blocks, kThreads>>>(x, out, n); break;
    case 9: last_block_of_all<<<blocks, kThreads>>>(x, out, scratch); break;
    case 10: sum_after_detours<<<blocks, kThreads>>>(x, out, n); break;
    case 11: count_in_bytes<<<1, kThreads>>>(x, out, n); break;
    case 12: volatile_sum<<<blocks, kThreads>>>(x, out, n); break;
    case 13: ticket_is_index<<<blocks, kThreads>>>(x, out, scratch); break;
  }
  cudaFree(scratch);
}
