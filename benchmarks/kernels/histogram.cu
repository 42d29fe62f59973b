// Atomics in shared memory, then in global memory.
__global__ void histogram(const int* in, int* counts, int n, int bins) {
  extern __shared__ int local[];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[in[i]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&counts[b], local[b]);
}

extern "C" void solve(const int* in, int* counts, int n, int bins) {
  cudaMemset(counts, 0, bins * sizeof(int));
  histogram<<<6, 128, bins * sizeof(int)>>>(in, counts, n, bins);
}
