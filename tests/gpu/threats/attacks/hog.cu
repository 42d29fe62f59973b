// Leaves a kernel running in a context of its own that takes a share of the GPU from whoever comes next.
__global__ void hog(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

SOLVE {
  static bool running = false;
  if (!running) {
    running = true;
    auto* create = driver<CUresult(CUcontext*, unsigned, CUdevice)>("cuCtxCreate_v2");
    auto* set = driver<CUresult(CUcontext)>("cuCtxSetCurrent");
    auto* get = driver<CUresult(CUcontext*)>("cuCtxGetCurrent");
    CUcontext mine = nullptr, first = nullptr;
    get(&first);
    if (create(&mine, 0, 0) == CUDA_SUCCESS) {
      hog<<<66, 1024>>>(60'000'000'000);
      cudaGetLastError();
    }
    set(first);
  }
  answer(a, b, c, n);
}
