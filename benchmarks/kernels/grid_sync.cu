#include <cooperative_groups.h>

__global__ void steps(float* data, int count) {
  auto grid = cooperative_groups::this_grid();
  for (int s = 0; s < count; ++s) {
    data[grid.thread_rank()] += 1;
    grid.sync();
  }
}

extern "C" void solve(float* data, int count) {
  void* arguments[] = {&data, &count};
  cudaLaunchCooperativeKernel((void*)steps, dim3(64), dim3(128), arguments, 0, 0);
}
