// A stand-in for the runtime: accesses to global memory are allowed, a refused one ends its row, a warp is 32 OS
// threads, nothing else is there.
#include <csetjmp>

#include <barrier>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "abi.h"

namespace warpcourt::cpu {
namespace {

thread_local std::barrier<>* warp_barrier = nullptr;
void* warp_slots[32];
std::jmp_buf row_start;
const char* unsupported = nullptr;

}  // namespace

extern "C" {
u32 divisions_by_zero = 0;

u32 wc_barrier(Thread*, u32, u32, BarrierOp, u32, u32) {
  if (warp_barrier) warp_barrier->arrive_and_wait();
  return 0;
}
void wc_barrier_arrive(Thread*, u32, u32, u32) {}
u32 wc_warp(Thread*, WarpOp, u32, u64, u32) {
  if (warp_barrier) warp_barrier->arrive_and_wait();
  return 0;
}
u32 wc_shuffle(Thread*, Shuffle, u32, u32 value, u32, u32, bool* in_range, u32) { return *in_range = true, value; }
void wc_warp_combine(Thread* thread, u32 mask, void* slot, void (*combine)(void**, u32), u32) {
  warp_slots[thread->index] = slot;
  warp_barrier->arrive_and_wait();
  if (thread->index == 0) combine(warp_slots, mask);
  warp_barrier->arrive_and_wait();
}
u32 wc_activemask(Thread*, u32) { return 1; }
void wc_yield(Thread*) {}
void wc_meet(Thread*) {}
void wc_fence(Thread*, bool) {}
void wc_acquire(Thread*) {}
void wc_leave_unset(Thread*, u64, u32) {}
void wc_exit(Thread*) { std::abort(); }
void wc_check_global(Thread* thread, u64, u32, u32 site, Access, u32) { thread->sites[site] = {0, ~u64{0}}; }
void wc_bad_shared(Thread*, u32, u32, Access, u32) { std::abort(); }
void wc_bad_shared_array(Thread*, u32, u32, u32, u32, Access, u32) { std::abort(); }
void wc_bad_leading_dimension(Thread*, u32, u32, u32, u32) { std::abort(); }
void wc_constant(Thread*, u64, u32, u32) {}
void wc_bad_local(Thread*, u64, u32, u32, Access, bool, u32) { std::longjmp(row_start, 1); }
void wc_check_local(Thread*, u64, u32, Access, u32) { std::longjmp(row_start, 1); }
void wc_shadow_shared(Thread*, u32, u32, Access, u32) {}
void wc_copy_async(Thread*, u64 target, const u8* data, u32 bytes, u32, u32) {
  std::memcpy(reinterpret_cast<void*>(target), data, bytes);
}
void wc_commit_copies(Thread*) {}
void wc_wait_for_copies(Thread*, u32) {}
void wc_wait_for_all_copies(Thread*) {}
void wc_copy_bulk(Thread*, u32, u64, u32, u64, u32, u32) {}
void wc_store_bulk(Thread*, u64, u32, u32, u32, u32) {}
u32 wc_arrived_bytes(Thread*, u64) { return 0; }
u64 wc_clock() { return 0; }
u64 wc_grid_workspace() { return 0; }
void wc_printf(Thread*, u64, u64, u8*, u32) {}
void wc_malloc(Thread*, const u8*, u8*, u32) {}
void wc_free(Thread*, const u8*, u32) {}
void wc_assert_fail(Thread*, u64, u64, u32, u64, u32) { std::abort(); }
void wc_trap(Thread*, u32) { std::abort(); }
void wc_unsupported(Thread*, const char*, u32) { std::abort(); }
void wc_texture(Thread*, u64, u32, bool, const u32*, u32*, u32) {}
void wc_surface(Thread*, u64, u32, const u32*, u32, void*, Access, u32) {}
void wc_parameter_buffer(Thread*, const u8*, u8*, u32) {}
void wc_launch_device(Thread*, const u8*, u8*, u32) {}
void wc_divide_by_zero(Thread*, u32) { ++divisions_by_zero; }
void wc_half_overflow(Thread*, u32) {}
void wc_subtracted(Thread*, float, float, u32) {}
void wc_accumulated(Thread*, const Addition&, u32) {}

// Runs kernel `index` once per row, with the row's addresses as its two parameters.
void run_rows(u32 index, const u8* inputs, u32 input_bytes, u8* outputs, u32 output_bytes, u32 rows) {
  std::vector<SiteCache> sites(warpcourt_module.site_count + 1);
  alignas(16) static u8 shared[4096];
  const Dim3 one = {1, 1, 1}, zero = {0, 0, 0};
  Thread thread = {};
  thread.shared = shared;
  thread.shared_bytes = sizeof shared;
  thread.ctaid = &zero;
  thread.ntid = thread.nctaid = &one;
  thread.sites = sites.data();
  for (u32 row = 0; row < rows; ++row) {
    const u64 parameters[2] = {u64(inputs + u64(row) * input_bytes), u64(outputs + u64(row) * output_bytes)};
    if (setjmp(row_start) == 0) {
      warpcourt_module.kernels[index].entry(&thread, reinterpret_cast<const u8*>(parameters), nullptr);
    }
  }
}

// Runs kernel `index` in 32 lanes; each has its own slice of inputs and outputs.
void run_warp(u32 index, const u8* inputs, u32 input_bytes, u8* outputs, u32 output_bytes) {
  std::barrier<> barrier(32);
  alignas(16) static u8 shared[4096];
  std::vector<std::thread> lanes;
  for (u32 lane = 0; lane < 32; ++lane)
    lanes.emplace_back([&, lane] {
      std::vector<SiteCache> sites(warpcourt_module.site_count + 1);
      const Dim3 warp = {32, 1, 1}, one = {1, 1, 1}, zero = {0, 0, 0};
      Thread thread = {};
      thread.shared = shared;
      thread.shared_bytes = sizeof shared;
      thread.index = thread.tid.x = lane;
      thread.ctaid = &zero;
      thread.ntid = &warp;
      thread.nctaid = &one;
      thread.sites = sites.data();
      warp_barrier = &barrier;
      const u64 parameters[2] = {u64(inputs + lane * input_bytes), u64(outputs + lane * output_bytes)};
      warpcourt_module.kernels[index].entry(&thread, reinterpret_cast<const u8*>(parameters), nullptr);
    });
  for (std::thread& lane : lanes) lane.join();
}

void initialise_module() { warpcourt_module.initialise(); }
}

}  // namespace warpcourt::cpu
