// For attacks that look for the flags of the timed session: memory of one granule that holds two small numbers, a
// cache line apart, and nothing else. Every mapped range of the address space is looked through.
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

static unsigned long long* find_flags() {
  auto* range = driver<CUresult(CUdeviceptr*, size_t*, CUdeviceptr)>("cuMemGetAddressRange_v2");
  constexpr CUdeviceptr granule = 2u << 20;
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[512];
  unsigned long long* found = nullptr;
  while (maps && !found && fgets(line, sizeof line, maps)) {
    unsigned long long start, end;
    if (sscanf(line, "%llx-%llx", &start, &end) != 2) continue;
    for (CUdeviceptr at = (start + granule - 1) / granule * granule; at < end && !found;) {
      CUdeviceptr base = 0;
      size_t bytes = 0;
      const bool known = range(&base, &bytes, at) == CUDA_SUCCESS;
      if (known && bytes == granule && like_flags(base)) found = reinterpret_cast<unsigned long long*>(base);
      at = known ? base + bytes : at + granule;
    }
  }
  if (maps) fclose(maps);
  return found;
}
