// For attacks that look for the flags of the timed session.
// The flags of the timed session: the only mapped memory of one granule among the arrays.
static unsigned long long* find_flags(const void* near) {
  auto* range = driver<CUresult(CUdeviceptr*, size_t*, CUdeviceptr)>("cuMemGetAddressRange_v2");
  constexpr CUdeviceptr granule = 2u << 20;
  const CUdeviceptr start = reinterpret_cast<CUdeviceptr>(near) / granule * granule;
  for (CUdeviceptr step = 0; step < 40000; ++step)
    for (const CUdeviceptr at : {start - step * granule, start + step * granule}) {
      CUdeviceptr base = 0;
      size_t bytes = 0;
      if (range(&base, &bytes, at) == CUDA_SUCCESS && bytes == granule) return reinterpret_cast<unsigned long long*>(base);
    }
  return nullptr;
}
