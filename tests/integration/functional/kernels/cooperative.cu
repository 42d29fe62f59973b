// Cooperative groups: a grid barrier between steps, tiles of a warp, coalesced threads.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void smooth(float* a, float* b, int n, int steps) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  for (int s = 0; s < steps; ++s) {
    float* from = s % 2 ? b : a;
    float* to = s % 2 ? a : b;
    if (i < n) to[i] = (from[i] + from[(i + 1) % n]) / 2;
    grid.sync();
  }
}

__global__ void tiles(const int* in, int* sums, int* odd, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int sum = cg::reduce(tile, in[i], cg::plus<int>());
  if (tile.thread_rank() == 0) sums[i / 8] = sum;
  if (in[i] % 2) {
    cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0) atomicAdd(odd, active.size());
  }
}

extern "C" void solve(float* a, float* b, const int* in, int* sums, int* odd, int n, int steps) {
  void* arguments[] = {&a, &b, &n, &steps};
  cudaLaunchCooperativeKernel((void*)smooth, dim3((n + 63) / 64), dim3(64), arguments, 0, 0);
  cudaMemset(odd, 0, sizeof(int));
  tiles<<<n / 64, 64>>>(in, sums, odd, n);
}
