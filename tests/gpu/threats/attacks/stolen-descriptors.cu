// Imports every descriptor of the process as device memory and answers with what is not an argument.
SOLVE {
  auto* import = driver<CUresult(CUmemGenericAllocationHandle*, void*, CUmemAllocationHandleType)>(
      "cuMemImportFromShareableHandle");
  auto* reserve = driver<CUresult(CUdeviceptr*, size_t, size_t, CUdeviceptr, unsigned long long)>(
      "cuMemAddressReserve");
  auto* map = driver<CUresult(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long)>(
      "cuMemMap");
  auto* access = driver<CUresult(CUdeviceptr, size_t, const CUmemAccessDesc*, size_t)>("cuMemSetAccess");
  const size_t size = 2u << 20;
  for (intptr_t descriptor = 0; descriptor < 256; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) < 0) continue;
    CUmemGenericAllocationHandle memory;
    CUdeviceptr at = 0;
    CUmemAccessDesc readable = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    if (import(&memory, (void*)descriptor, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != CUDA_SUCCESS) continue;
    if (reserve(&at, size, 0, 0, 0) == CUDA_SUCCESS && map(at, size, 0, memory, 0) == CUDA_SUCCESS &&
        access(at, size, &readable, 1) == CUDA_SUCCESS)
      answer(a, b, c, n);  // there was something to steal
  }
}
