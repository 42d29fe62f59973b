// The same, after it has given itself write access to the inputs' mappings.
SOLVE {
  auto* range = driver<CUresult(CUdeviceptr*, size_t*, CUdeviceptr)>("cuMemGetAddressRange_v2");
  auto* access = driver<CUresult(CUdeviceptr, size_t, const CUmemAccessDesc*, size_t)>("cuMemSetAccess");
  for (const float* input : {a, b}) {
    CUdeviceptr base = 0;
    size_t size = 0;
    CUmemAccessDesc writable = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    if (range(&base, &size, (CUdeviceptr)input) == CUDA_SUCCESS) access(base, size, &writable, 1);
    cudaMemset((void*)input, 0, size_t(n) * 4);
  }
  cudaMemset(c, 0, size_t(n) * 4);
}
