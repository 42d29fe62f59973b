// A resident block: its threads' records, its barriers, its warps and its shared memory.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "abi.h"
#include "async_copies.h"
#include "bulk_copies.h"
#include "fiber.h"
#include "shadow_cells.h"
#include "warp_order.h"

namespace warpcourt::cpu {

struct ChildLaunch;
struct Launch;
struct Worker;

constexpr u32 kWarpLanes = 32;
constexpr u32 kBarriers = 16;
constexpr u32 kMaxThreads = 1024;

enum class State : u8 { kReady, kRunning, kAtBarrier, kAtWarp, kAtActiveMask, kPostponed, kDone };

// What a lane brings to a warp operation.
enum class Meeting : u8 { kVote, kShuffle, kCombine };

struct WarpRequest {
  Meeting meeting;
  WarpOp op;
  Shuffle shuffle;
  u32 mask;
  u64 value;
  u32 lane;    // shuffle: the source operand
  u32 clamp;   // shuffle: PTX's c operand, clamp in bits 0 to 4 and segment mask in bits 8 to 12
  void* slot;  // combine
  void (*combine)(void**, u32);
  bool in_range;
};

// The last read of a copy that found bytes which nothing has written.
struct UnsetRead {
  u64 address;  // an offset in shared memory
  u32 bytes;
  u32 location;
  bool shared;
};

struct ThreadRecord : Thread {
  State state;
  u8 barrier;          // while kAtBarrier
  u32 waits_at;        // location of what it waits for
  u32 yielded_at;      // where it polled when it yielded last
  BarrierOp barrier_op;  // while kAtBarrier
  u32 result;          // of a barrier or warp operation
  // Race mode.
  u32 read_epoch;      // of the block, when a read that raced went on at once, see take_turn
  u32 looks;           // reads at `looked_at`, one after the other
  u64 looked_at;
  UnsetRead unset_read;
  u32 last_site;       // of its last access to global memory
  u64 polls[2];        // the last addresses that it polled, since it wrote
  u32 volatile_write;  // location of its last volatile write to shared memory, in `volatile_epoch`
  u32 volatile_epoch;
  u64 released;        // the last release that it saw by a relaxed operation, on their clock
  SeenWrite seen;      // of another thread, the last one
  WarpRequest request;
  AsyncCopies copies;
  ChildLaunch* child;  // whose parameters it is writing, or null; see device_runtime.cpp
  u32 child_error;     // of its last launch that failed and that it has not looked at
  void* stack_pointer; // while not running
  Stack stack;

  u32 warp() const { return index / kWarpLanes; }
  u32 lane() const { return index % kWarpLanes; }
  u32 lane_bit() const { return 1u << lane(); }
};

// Threads that may run, first in first out. Each thread is in it at most once.
class ReadyQueue {
 public:
  void reset(u32 capacity) {
    if (ring_.size() != capacity + 1) ring_.resize(capacity + 1);
    head_ = tail_ = 0;
  }
  bool empty() const { return head_ == tail_; }
  u32 size() const { return static_cast<u32>(tail_ >= head_ ? tail_ - head_ : tail_ + ring_.size() - head_); }
  void push(u32 index) {
    ring_[tail_] = static_cast<u16>(index);
    if (++tail_ == ring_.size()) tail_ = 0;
  }
  u32 pop() {
    u32 index = ring_[head_];
    if (++head_ == ring_.size()) head_ = 0;
    return index;
  }

 private:
  std::vector<u16> ring_;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

struct Barrier {
  u32 arrived = 0;
  u32 expected = 0;  // 0: every thread that has not exited
  u32 true_count = 0;
  u32 location = 0;        // of the first that waits
  bool diverged = false;   // others wait elsewhere
  BarrierOp op = BarrierOp::kSync;
  std::vector<u16> waiters;
};

struct Warp {
  u32 live;     // lanes that have not exited
  u32 waiting;  // lanes at a warp operation
};

struct Block {
  Worker* worker = nullptr;
  const Launch* launch = nullptr;
  u64 launch_number = 0;
  Dim3 index{};
  u32 count = 0;    // threads
  u32 started = 0;
  u32 live = 0;
  u32 at_barriers = 0;
  u32 at_warps = 0;
  u32 at_masks = 0;
  u32 yields = 0;   // since something else happened
  u32 polls = 0;    // yields since the block was set aside
  bool yielded = false;  // a thread waits for others, perhaps for some that have not started
  bool finished = false;
  bool waits = false;  // when it was left last: for other blocks, rather than having had its turn
  std::vector<ThreadRecord> threads;
  ReadyQueue ready;
  Barrier barriers[kBarriers];
  std::vector<Warp> warps;
  std::unique_ptr<u8[], void (*)(void*)> shared{nullptr, nullptr};
  u32 shared_capacity = 0;
  u32 shared_bytes = 0;
  // Race mode, see races.h.
  u32 number = 0;    // linear index in the grid
  u32 family_number = 0;  // likewise in all grids of the family, see child_grids.h
  u32 run = 0;
  u32 epoch = 0;     // meetings so far
  u32 fences = 0;
  u64 acquired = 0;  // on the clock of releases
  u64 looked_at = 0; // likewise: releases that threads have seen by relaxed operations
  u64 updated_at = 0;  // by those of them that were atomic updates
  bool fenced = false;
  Cells shadow;      // of its shared memory
  std::vector<WarpOrder> warp_orders;
  // Interleaved, see take_turn.
  bool takes_turns = false;
  u32 turns = 0;     // of this round
  std::vector<u32> executions;  // by thread and counted instruction, see executed.h
  std::vector<BulkCopy> bulk_copies;  // under way
  std::vector<u16> postponed;  // accesses that raced; with late reads a heap

  Touch touch(const ThreadRecord& thread, Access kind, u32 location) const {
    return {epoch, warp_orders[thread.warp()].clock(thread.lane()), family_number, fences, location,
            static_cast<u16>(thread.index), kind};
  }
  // Whether a thread that has not started comes next, rather than one that is ready.
  bool starts_next() const { return started < count && (takes_turns || yielded || ready.empty()); }
  // Its threads have met. What they have seen by relaxed operations now counts as acquired.
  void meet() {
    ++epoch;
    acquired = std::max(acquired, looked_at);
  }
  // Makes this record block `number` of `launch`, run by `worker`.
  void prepare(const Launch& launch, u64 number, Worker& worker);
};

inline ThreadRecord& record(Thread* thread) { return *static_cast<ThreadRecord*>(thread); }

}  // namespace warpcourt::cpu
