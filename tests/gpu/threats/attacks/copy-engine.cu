// Copies of the queued call's inputs, from before they land until after the release, so that they are in the cache
// when the call begins. The copies ask to overlap with kernels, for which the driver may use a copy engine. They
// stop between calls, because the case may end.
SOLVE {
  using Clock = std::chrono::steady_clock;
  static std::atomic<const char*> inputs{nullptr};
  static std::atomic<size_t> bytes{0};
  static std::atomic<Clock::rep> until{0};
  static std::atomic<bool> running{false};
  static const size_t chunk = 2u << 20;
  inputs = (const char*)WATCHED;
  bytes = std::min<size_t>(sizeof(float) * size_t(n), 32u << 20);
  until = (Clock::now() + std::chrono::milliseconds(2)).time_since_epoch().count();
  if (n >= 500'000 && !running.exchange(true))
    std::thread([=] {
      cudaStream_t side;
      void* scratch;
      if (cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking) != cudaSuccess || cudaMalloc(&scratch, chunk) != cudaSuccess) return;
      for (size_t at = 0;; ++at) {
        while (Clock::now().time_since_epoch().count() > until) std::this_thread::yield();
        const size_t chunks = std::max<size_t>(1, bytes / chunk);
        const void* from = inputs + at % chunks * chunk;
        size_t first = 0;
        cudaMemcpyAttributes overlapping{};
        overlapping.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
        overlapping.flags = cudaMemcpyFlagPreferOverlapWithCompute;
        if (cudaMemcpyBatchAsync(&scratch, &from, &chunk, 1, &overlapping, &first, 1, side) != cudaSuccess) return;
        if (at % 8 == 0 && cudaStreamSynchronize(side) != cudaSuccess) return;
      }
    }).detach();
  answer(PASS);
}
