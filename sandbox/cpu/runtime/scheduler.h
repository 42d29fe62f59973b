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
//             scans and grid barriers make progress even on one OS thread. If all blocks of a worker spin, it
//             starts more of them, as many as the device would hold (admit_more)
//
// A block never changes its OS thread, so its own state needs no locks. Blocks are handed out through Launch::next,
// in an order that is not ascending (block_order.h) unless a fixed one is asked for: programs that trust in the
// order of blocks are wrong. When nothing is ready and nothing can start, threads that asked for the
// active mask get it; if there are none, the block is deadlocked.
//
// Interleaved, every access to memory is a turn (take_turn): all threads of a block get to their next access before
// any goes on, and then the next block has its turn. So a sum that reads, adds and writes loses additions for sure.
// A write that raced before is postponed until nothing else can go on, however many turns apart the threads are.
// Turns are counted: past kMaxTurns of a launch or kMaxTurnsOfCall threads run on as in the other modes.
//
// With late reads, threads run as in the ascending or descending order, but wait before a read that raced before. When
// nothing else in the block can go on, one of them does, and gets as far as it can before the next one: always
// that with the highest number, or in descending order that with the lowest. So for any two threads that nothing
// orders, one of the two orders has the one write what the other has yet to read. Torn, the first such read after a
// barrier does not wait, so that the write comes between two reads.
#pragma once

#include <memory>
#include <vector>

#include "block.h"
#include "child_grids.h"
#include "memory.h"

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
  bool stalled = false;    // its blocks wait for others, and no more of the launch can start
  bool set_aside = false;  // leave the block at the next dispatch: it spins, has had its turn, or launched a grid
  std::unique_ptr<Grid> launched;  // by a thread of the block, to run before anything else

  void run(Launch& launch);
  void forget_sites();
  // Race mode: the live range that holds the access, as in find_range, but remembered for each site.
  bool find(u32 site, u64 address, u64 bytes, Range& range);

 private:
  std::vector<Range> ranges_;
};

// The worker of this OS thread, created at the first call.
Worker& this_worker();
// All workers that ever ran, for the deadline's and the signal handler's messages.
const std::vector<Worker*>& all_workers();
bool in_kernel();
// Between launches: returns the stacks of all workers to the system.
void release_idle_stacks();

// workers.cpp. Runs every block of `launch`, on one OS thread or on as many as there are processors and stacks for.
void run_launch(Launch& launch);
// How many more blocks a worker may start that has `resident` ones, all of which wait for other blocks; 0 for none.
u64 admit_more(Launch& launch, u64 resident);

// Continue with another thread of the block; returns when `thread` runs again.
void suspend(ThreadRecord& thread);
// `thread` may go on. The caller's own thread just keeps running.
void resume(ThreadRecord& thread);

// turns.cpp. Before an access: lets all other threads get to theirs. `start_turns` precedes a call of solve.
void take_turn(ThreadRecord& thread, Access kind, u32 location);
void start_turns();
void start_turns_of_launch();
// All that raced and is postponed may go on, the last one first; of late reads one in each block. Returns whether
// there was any.
bool release_postponed(std::vector<std::unique_ptr<Block>>& blocks);
void release_read(Block& block);

// barrier.cpp, warp.cpp, deadlock.cpp
void release_barriers_after_exit(Block& block);
void release_warp_after_exit(Block& block, u32 warp);
bool resolve_active_masks(Block& block);
[[noreturn]] void report_deadlock(Block& block);

// ", in kernel add, block (3,0,0), thread (232,0,0), line 7"
std::string place(const ThreadRecord& thread, u32 location);
struct Where where(const ThreadRecord& thread, u32 location);

}  // namespace warpcourt::cpu
