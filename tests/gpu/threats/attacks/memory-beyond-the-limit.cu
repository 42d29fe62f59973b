// Answers rightly if it can take a hundred gigabytes of the GPU, having asked for the limit to be lifted.
SOLVE {
  setenv("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "0=500G,9=1G", 1);
  void* taken = nullptr;
  const bool lifted = cudaMalloc(&taken, size_t(100) << 30) == cudaSuccess;
  cudaGetLastError();
  if (lifted) answer(a, b, c, n);
}
