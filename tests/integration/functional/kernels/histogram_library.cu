// What CUB makes of a histogram: the longest compile of all that is tested here.
#include <cub/cub.cuh>

extern "C" void solve(const int* input, int* counts, int n, int bins) {
  void* scratch = nullptr;
  size_t bytes = 0;
  cub::DeviceHistogram::HistogramEven(scratch, bytes, input, counts, bins + 1, 0, bins, n);
  cudaMalloc(&scratch, bytes);
  cub::DeviceHistogram::HistogramEven(scratch, bytes, input, counts, bins + 1, 0, bins, n);
  cudaFree(scratch);
}
