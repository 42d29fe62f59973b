// Runs blocks on OS threads and the threads of a block on fibers.
//
// Theory of operation. One OS thread (Worker) runs one block at a time, and calls the block's CUDA threads
// one after the other as plain functions on one fiber. A CUDA thread that never waits costs a call. One
// that reaches a barrier, or any meeting with its warp, keeps the fiber's stack; a fresh fiber goes on with
// the threads that have not started. So nobody has to know beforehand whether a kernel synchronises.
//
//   dispatch  goes on with a ready thread, else a fresh fiber, else with the worker's own stack
//   suspend   is dispatch for a thread that waits: it returns when somebody has made the thread ready
//   wc_yield  puts the caller at the end of the ready queue; when all that a block does is yield, the block
//             spins on another block: the worker sets it aside and takes a further one, so that look-back
//             scans and grid barriers make progress even on one OS thread
//
// A block never changes its OS thread, so its own state needs no locks. Blocks are handed out in ascending
// order through Launch::next. When nothing is ready and nothing can start, threads that asked for the
// active mask get it; if there are none, the block is deadlocked.
#pragma once

#include <memory>
#include <vector>

#include "block.h"
#include "launch.h"

namespace warpcourt::cpu {

struct Worker {
  Block* block = nullptr;
  ThreadRecord* current = nullptr;
  void* own_stack_pointer = nullptr;
  Stack fresh;
  StackPool stacks;
  std::vector<SiteCache> sites;
  u64 sites_generation = 0;
  std::vector<std::unique_ptr<Block>> spare;
  bool set_aside = false;  // the block spins: leave it at the next dispatch

  void run(Launch& launch);
  void forget_sites();
};

// The worker of this OS thread, created at the first call.
Worker& this_worker();
// All workers that ever ran, for the deadline's and the signal handler's messages.
const std::vector<Worker*>& all_workers();
bool in_kernel();

// Runs every block of `launch`, on one OS thread or on all that there are.
void run_launch(Launch& launch);

// Continue with another thread of the block; returns when `thread` runs again.
void suspend(ThreadRecord& thread);
// `thread` may go on. The caller's own thread just keeps running.
void resume(ThreadRecord& thread);

// barrier.cpp, warp.cpp, deadlock.cpp
void release_barriers_after_exit(Block& block);
void release_warp_after_exit(Block& block, u32 warp);
bool resolve_active_masks(Block& block);
[[noreturn]] void report_deadlock(Block& block);

// ", in kernel add, block (3,0,0), thread (232,0,0), line 7"
std::string place(const ThreadRecord& thread, u32 location);
struct Where where(const ThreadRecord& thread, u32 location);

}  // namespace warpcourt::cpu
