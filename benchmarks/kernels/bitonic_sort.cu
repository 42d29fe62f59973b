// Bitonic sort of any length by padding with infinity.
__global__ void pad(const float* in, float* work, int n, int padded) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < padded) work[i] = i < n ? in[i] : INFINITY;
}

__global__ void step(float* work, int j, int k, int padded) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int other = i ^ j;
  if (i >= padded || other <= i) return;
  bool ascending = (i & k) == 0;
  if ((work[i] > work[other]) == ascending) {
    float swap = work[i];
    work[i] = work[other];
    work[other] = swap;
  }
}

extern "C" void solve(float* data, int n) {
  int padded = 1;
  while (padded < n) padded *= 2;
  float* work;
  cudaMalloc(&work, padded * sizeof(float));
  int blocks = (padded + 127) / 128;
  pad<<<blocks, 128>>>(data, work, n, padded);
  for (int k = 2; k <= padded; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) step<<<blocks, 128>>>(work, j, k, padded);
  cudaMemcpy(data, work, n * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaFree(work);
}
