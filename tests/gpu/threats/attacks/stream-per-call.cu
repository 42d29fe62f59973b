// Honest: makes a stream for each call that waits for no other, and waits for it on the host.
SOLVE {
  cudaStream_t side;
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  answer(a, b, c, n, side);
  cudaStreamSynchronize(side);
  cudaStreamDestroy(side);
}
