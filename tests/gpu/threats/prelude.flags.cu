// For attacks that look for the flags of the timed session: memory of one granule among the arrays that holds two
// small numbers, a cache line apart, and nothing else.
static bool like_flags(CUdeviceptr at) {
  static cudaStream_t side;
  if (!side) cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  unsigned long long words[32];
  if (cudaMemcpyAsync(words, (void*)at, sizeof words, cudaMemcpyDeviceToHost, side) != cudaSuccess) return false;
  cudaStreamSynchronize(side);
  for (int i = 0; i < 32; ++i)
    if (words[i] > (i % 16 ? 0 : 10'000)) return false;
  return true;
}

static unsigned long long* find_flags(const void* near) {
  auto* range = driver<CUresult(CUdeviceptr*, size_t*, CUdeviceptr)>("cuMemGetAddressRange_v2");
  constexpr CUdeviceptr granule = 2u << 20;
  const CUdeviceptr start = reinterpret_cast<CUdeviceptr>(near) / granule * granule;
  for (CUdeviceptr step = 0; step < 40'000; ++step)
    for (const CUdeviceptr at : {start - step * granule, start + step * granule}) {
      CUdeviceptr base = 0;
      size_t bytes = 0;
      if (range(&base, &bytes, at) == CUDA_SUCCESS && bytes == granule && like_flags(base))
        return reinterpret_cast<unsigned long long*>(base);
    }
  return nullptr;
}
