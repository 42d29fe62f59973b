// Takes device memory until there is none, and does not look.
SOLVE {
  void* taken;
  while (cudaMalloc(&taken, size_t(1) << 30) == cudaSuccess) {
  }
  cudaMalloc(&taken, size_t(1) << 30);
}
