// Breadth-first search by levels; the host reads a flag between launches.
__global__ void expand(const int* starts, const int* edges, int* levels, int level, int* changed, int vertices) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || levels[v] != level) return;
  for (int e = starts[v]; e < starts[v + 1]; ++e)
    if (atomicCAS(&levels[edges[e]], -1, level + 1) == -1) *changed = 1;
}

extern "C" void solve(const int* starts, const int* edges, int* levels, int vertices) {
  int zero = 0, one = 1, level = 0, *changed;
  cudaMalloc(&changed, sizeof(int));
  cudaMemset(levels, -1, vertices * sizeof(int));
  cudaMemcpy(levels, &zero, sizeof zero, cudaMemcpyHostToDevice);
  while (one) {
    cudaMemcpy(changed, &zero, sizeof zero, cudaMemcpyHostToDevice);
    expand<<<(vertices + 127) / 128, 128>>>(starts, edges, levels, level++, changed, vertices);
    cudaMemcpy(&one, changed, sizeof one, cudaMemcpyDeviceToHost);
  }
  cudaFree(changed);
}
