// Kernels that launch kernels. Each is wrong, or right where `ordered` is true: out[i] = x[i] + 2 in the end.
__global__ void add_one(const int* from, int* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + 1;
}
__global__ void add_plain(const int* from, int* to, int n) {
  int i = threadIdx.x;
  if (i < n) to[i] += from[i];  // plain addition
}
__global__ void add_atomically(const int* from, int* to, int n) {
  int i = threadIdx.x;
  if (i < n) atomicAdd(&to[i], from[i]);
}
__global__ void fill(int* to, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = value;
}

__global__ void reads_early(const int* x, int* mid, int* out, int n, bool ordered) {
  if (threadIdx.x == 0) add_one<<<4, 64>>>(x, mid, n);
  if (ordered) {
    if (threadIdx.x == 0) add_one<<<4, 64, 0, cudaStreamTailLaunch>>>(mid, out, n);
  } else {
    out[threadIdx.x] = mid[threadIdx.x] + 1;  // reads early
  }
}

__global__ void writes_late(const int* x, int* mid, int* out, int n, bool ordered) {
  if (ordered) for (int i = 0; i < n; ++i) mid[i] = x[i] + 1;
  add_one<<<4, 64>>>(mid, out, n);
  if (!ordered) for (int i = 0; i < n; ++i) mid[i] = x[i] + 1;  // writes late
}

__global__ void lacks_barrier(const int* x, int* mid, int* out, int n, bool ordered) {
  mid[threadIdx.x] = x[threadIdx.x] + 1;  // before the barrier
  if (ordered) __syncthreads();
  if (threadIdx.x == 0) add_one<<<4, 64>>>(mid, out, n);
}

__global__ void lacks_warp_barrier(const int* x, int* mid, int* out, int n, bool ordered) {
  mid[threadIdx.x] = x[threadIdx.x] + 1;  // before the warp barrier
  if (ordered) __syncwarp();
  if (threadIdx.x % 32 == 0) add_one<<<1, 32>>>(mid + threadIdx.x, out + threadIdx.x, 32);
}

__global__ void lacks_other_blocks(const int* x, int* mid, int* out, int n, bool ordered) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  mid[i] = x[i] + 1;  // in any block
  if (i != 0) return;
  if (ordered) {
    add_one<<<4, 64, 0, cudaStreamTailLaunch>>>(mid, out, n);
  } else {
    add_one<<<4, 64, 0, cudaStreamFireAndForget>>>(mid, out, n);
  }
}

// The last block of the grid launches, as its counter says.
__device__ int arrived;
__global__ void last_block_launches(const int* x, int* mid, int* out, int n, bool ordered) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  mid[i] = x[i] + 1;  // counted
  __syncthreads();
  if (threadIdx.x) return;
  if (ordered) __threadfence();
  if (atomicAdd(&arrived, 1) != gridDim.x - 1) return;
  arrived = 0;
  if (ordered) __threadfence();
  add_one<<<4, 64>>>(mid, out, n);
}

__global__ void adds_from_two_blocks(const int* x, int* mid, int* out, int n, bool ordered) {
  if (threadIdx.x) return;
  if (ordered) {
    add_atomically<<<1, n>>>(blockIdx.x ? x : mid, out, n);
  } else {
    add_plain<<<1, n>>>(blockIdx.x ? x : mid, out, n);
  }
}

__global__ void forgets_order(const int* x, int* mid, int* out, int n, bool ordered) {
  if (ordered) {
    add_one<<<4, 64>>>(x, mid, n);
    add_one<<<4, 64>>>(mid, out, n);
  } else {
    add_one<<<4, 64, 0, cudaStreamFireAndForget>>>(x, mid, n);
    add_one<<<4, 64, 0, cudaStreamFireAndForget>>>(mid, out, n);
  }
}

__global__ void lacks_event(const int* x, int* mid, int* out, int n, bool ordered) {
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  add_one<<<4, 64, 0, first>>>(x, mid, n);
  if (ordered) {
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaEventRecord(event, first);
    cudaStreamWaitEvent(second, event, 0);
    cudaEventDestroy(event);
  }
  add_one<<<4, 64, 0, second>>>(mid, out, n);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}

__global__ void launches_again(const int* x, int* mid, int n) { add_one<<<4, 64>>>(x, mid, n); }
__global__ void reads_grandchild(const int* x, int* mid, int* out, int n) {
  add_one<<<4, 64>>>(x, mid, n);
  for (int i = 0; i < n; ++i) out[i] = mid[i] + 1;  // reads a grandchild
}
__global__ void waits_for_grandchild(const int* x, int* mid, int* out, int n, bool ordered) {
  if (ordered) {
    launches_again<<<1, 1>>>(x, mid, n);
    add_one<<<4, 64>>>(mid, out, n);
  } else {
    reads_grandchild<<<1, 1>>>(x, mid, out, n);
  }
}

__global__ void tails_in_order(const int* x, int* mid, int* out, int n, bool ordered) {
  if (ordered) {
    launches_again<<<1, 1, 0, cudaStreamTailLaunch>>>(x, mid, n);
    add_one<<<4, 64, 0, cudaStreamTailLaunch>>>(mid, out, n);
  } else {
    add_one<<<4, 64, 0, cudaStreamTailLaunch>>>(mid, out, n);
    launches_again<<<1, 1, 0, cudaStreamTailLaunch>>>(x, mid, n);
  }
}

using Program = void (*)(const int*, int*, int*, int, bool);
struct Shape {
  Program kernel;
  int blocks, threads;
};

extern "C" void solve(const int* x, int* out, int n, int program, int ordered) {
  const Shape kPrograms[] = {
      {reads_early, 1, n},        {writes_late, 1, 1},  {lacks_barrier, 1, n},        {lacks_warp_barrier, 1, n},
      {lacks_other_blocks, 4, 64}, {last_block_launches, 4, 64}, {adds_from_two_blocks, 2, 32},
      {forgets_order, 1, 1},      {lacks_event, 1, 1},  {waits_for_grandchild, 1, 1}, {tails_in_order, 1, 1},
  };
  const Shape chosen = kPrograms[program];
  int* mid;
  cudaMalloc(&mid, n * sizeof(int));
  fill<<<4, 64>>>(mid, n, chosen.kernel == adds_from_two_blocks ? 2 : 0);
  fill<<<4, 64>>>(out, n, 0);
  chosen.kernel<<<chosen.blocks, chosen.threads>>>(x, mid, out, n, ordered);
  cudaDeviceSynchronize();
  cudaFree(mid);
}
