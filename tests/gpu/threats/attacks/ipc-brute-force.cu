// Guesses handles of the legacy CUDA IPC, from one of its own. Answers rightly if a guess opens memory that does not hold
// what its own does: a changed handle may still be one for its own.
SOLVE {
  constexpr size_t size = 2 << 20;
  constexpr int mark = 0x5a;
  void* mine = nullptr;
  cudaIpcMemHandle_t handle;
  if (cudaMalloc(&mine, size) == cudaSuccess && cudaMemset(mine, mark, size) == cudaSuccess &&
      cudaIpcGetMemHandle(&handle, mine) == cudaSuccess) {
    for (int byte = 0; byte < 64; ++byte)
      for (int change : {1, 2, 4, 16, 255}) {
        cudaIpcMemHandle_t guess = handle;
        guess.reserved[byte] = char(guess.reserved[byte] + change);
        void* opened = nullptr;
        if (cudaIpcOpenMemHandle(&opened, guess, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess && opened != mine) {
          static char seen[4096], marked[4096];
          memset(marked, mark, sizeof marked);
          if (cudaMemcpy(seen, opened, sizeof seen, cudaMemcpyDeviceToHost) == cudaSuccess &&
              memcmp(seen, marked, sizeof seen) != 0)
            answer(a, b, c, n);
          cudaIpcCloseMemHandle(opened);
        }
        cudaGetLastError();
      }
  }
  cudaFree(mine);
  cudaGetLastError();
}
