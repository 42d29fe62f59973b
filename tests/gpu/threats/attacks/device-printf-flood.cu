// Prints from every thread of the device, through the largest buffer that the runtime gives.
__global__ void shout(int n) {
  for (int i = 0; i < n; ++i) printf("thread %d of block %d has printed %d lines\n", threadIdx.x, blockIdx.x, i);
}
SOLVE {
  cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 256u << 20);
  for (int round = 0; round < 8; ++round) {
    shout<<<1024, 256>>>(32);
    cudaDeviceSynchronize();
  }
}
