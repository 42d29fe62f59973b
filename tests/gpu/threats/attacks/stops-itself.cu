// Stops its own process while a kernel of it runs without end: MPS waits for a client that never answers.
__global__ void endless(volatile int* stop) {
  while (*stop == 0) {
  }
}

SOLVE {
  int* stop = nullptr;
  cudaMalloc(&stop, sizeof(int));
  cudaMemset(stop, 0, sizeof(int));
  endless<<<1, 1>>>(stop);
  kill(getpid(), SIGSTOP);
  cudaDeviceSynchronize();
}
