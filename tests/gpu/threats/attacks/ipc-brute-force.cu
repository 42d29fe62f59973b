// Guesses handles of the legacy CUDA IPC, from one of its own. Answers rightly if a guess opens something.
SOLVE {
  void* mine = nullptr;
  cudaIpcMemHandle_t handle;
  if (cudaMalloc(&mine, 2 << 20) == cudaSuccess && cudaIpcGetMemHandle(&handle, mine) == cudaSuccess) {
    for (int byte = 0; byte < 64; ++byte)
      for (int change : {1, 2, 4, 16, 255}) {
        cudaIpcMemHandle_t guess = handle;
        guess.reserved[byte] = char(guess.reserved[byte] + change);
        void* opened = nullptr;
        if (cudaIpcOpenMemHandle(&opened, guess, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess && opened != mine)
          answer(a, b, c, n);
        cudaGetLastError();
      }
  }
  cudaGetLastError();
}
