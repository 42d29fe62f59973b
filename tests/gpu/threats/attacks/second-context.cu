// Does the work in a CUDA context of its own, which cudaDeviceSynchronize of the first does not wait for, and
// late enough that nobody can overlook it.
__global__ void dawdle(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

SOLVE {
  static auto* create = driver<CUresult(CUcontext*, unsigned, CUdevice)>("cuCtxCreate_v2");
  static auto* set = driver<CUresult(CUcontext)>("cuCtxSetCurrent");
  static auto* get = driver<CUresult(CUcontext*)>("cuCtxGetCurrent");
  static CUcontext mine = nullptr;
  CUcontext first = nullptr;
  get(&first);
  if (!mine && create(&mine, 0, 0) != CUDA_SUCCESS) return;
  set(mine);
  dawdle<<<1, 1>>>(5'000'000);
  answer(a, b, c, n);
  cudaGetLastError();
  set(first);
}
