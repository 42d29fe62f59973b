// Fibers within a block, and blocks within a worker. See scheduler.h.
#include "scheduler.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "counters.h"
#include "device_runtime.h"
#include "diagnostics.h"
#include "engine.h"
#include "executed.h"
#include "memory.h"
#include "owned_memory.h"
#include "races.h"
#include "signals.h"
#include "waits.h"

namespace warpcourt::cpu {
namespace {

constexpr u32 kYieldRounds = 4;
constexpr u32 kPollRounds = 2;  // however often threads met meanwhile: a warp may vote on what it polls
constexpr u64 kSharedAlignment = 1024;

thread_local Worker* worker_of_this_thread = nullptr;

std::mutex workers_mutex;
std::vector<Worker*>& workers() {
  static auto* list = new std::vector<Worker*>;
  return *list;
}

[[noreturn]] void run_threads();

// A new fiber's stack pointer; it will call threads that have not started.
void* start_fiber(Worker& worker) {
  worker.fresh = worker.stacks.take(worker.block->launch->stack_units());
  if (!worker.fresh.low) {
    fail({Severity::kError, "memory", "no memory is left for the stacks of waiting threads", {}},
         wire::kMemoryLimit);
  }
  return worker.fresh.prepare(run_threads);
}

// Leaves the running fiber; `from` is its thread if that will come back.
void dispatch(Worker& worker, ThreadRecord* from) {
  void* discarded;
  void** save = from ? &from->stack_pointer : &discarded;
  Block& block = *worker.block;
  worker.current = nullptr;
  if (worker.set_aside) {
    warpcourt_switch(save, worker.own_stack_pointer);
  } else if (block.starts_next()) {
    warpcourt_switch(save, start_fiber(worker));
  } else if (!block.ready.empty()) {
    ThreadRecord& next = block.threads[block.ready.pop()];
    next.state = State::kRunning;
    worker.current = &next;
    if (&next != from) warpcourt_switch(save, next.stack_pointer);
  } else {
    warpcourt_switch(save, worker.own_stack_pointer);
  }
}

void finish_thread(ThreadRecord& thread) {
  Block& block = *thread.block;
  thread.state = State::kDone;
  thread.copies.forget();
  if (thread.child || thread.child_error) finish_launches(thread);
  --block.live;
  block.yields = 0;
  block.warps[thread.warp()].live &= ~thread.lane_bit();
  if (block.at_barriers) release_barriers_after_exit(block);
  if (block.at_warps) release_warp_after_exit(block, thread.warp());
}

// The body of every fiber: calls threads until one of them is needed elsewhere.
void run_threads() {
  Worker& worker = *worker_of_this_thread;
  const Stack own = worker.fresh;
  Block& block = *worker.block;  // a fiber stays with its block
  const Launch& launch = *block.launch;
  const bool reversed = engine().options.reversed;
  const u8* parameters = launch.parameter_bytes();
  while (block.starts_next() && !worker.set_aside) {
    u32 next = block.started++;
    ThreadRecord& thread = block.threads[reversed ? block.count - 1 - next : next];
    thread.stack = own;
    thread.state = State::kRunning;
    worker.current = &thread;
    launch.kernel->entry(&thread, parameters, nullptr);
    finish_thread(thread);
  }
  worker.stacks.give_back(own);
  dispatch(worker, nullptr);
  __builtin_unreachable();
}

// Runs the block until it has finished or has to be set aside.
void run_block(Worker& worker, Block& block) {
  worker.block = &block;
  block.waits = false;
  for (;;) {
    if (block.ready.empty() && block.started == block.count) {
      if (block.live == 0) {
        block.finished = true;
        return;
      }
      if (!resolve_active_masks(block)) {
        if (block.postponed.empty()) report_deadlock(block);
        if (!engine().options.late_reads) {
          block.waits = true;
          return;
        }
        release_read(block);
      }
    }
    void* resumed = nullptr;
    if (!block.starts_next()) {
      ThreadRecord& next = block.threads[block.ready.pop()];
      next.state = State::kRunning;
      worker.current = &next;
      resumed = next.stack_pointer;
    } else {
      resumed = start_fiber(worker);
    }
    warpcourt_switch(&worker.own_stack_pointer, resumed);
    if (worker.set_aside) {
      worker.set_aside = false;
      if (block.waits) resolve_active_masks(block);
      return;
    }
  }
}

std::unique_ptr<Block> take_block(Worker& worker, Launch& launch) {
  const u64 ticket = launch.next.fetch_add(1, std::memory_order_relaxed);
  if (ticket >= launch.blocks) return nullptr;
  std::unique_ptr<Block> block;
  if (worker.spare.empty()) {
    block = std::make_unique<Block>();
  } else {
    block = std::move(worker.spare.back());
    worker.spare.pop_back();
  }
  block->prepare(launch, block_at(launch.order, ticket, launch.blocks, launch.resident), worker);
  return block;
}

}  // namespace

void Block::prepare(const Launch& of, u64 place, Worker& by) {
  worker = &by;
  number = static_cast<u32>(place);
  family_number = of.first_block + number;
  index = {static_cast<u32>(place % of.grid.x), static_cast<u32>(place / of.grid.x % of.grid.y),
           static_cast<u32>(place / of.grid.x / of.grid.y)};
  if (launch_number != of.number) {
    launch_number = of.number;
    launch = &of;
    count = of.threads;
    const u32 static_bytes = of.static_shared_bytes;
    const u32 dynamic_offset = (static_bytes + 127) / 128 * 128;
    shared_bytes = of.dynamic_shared_bytes ? dynamic_offset + of.dynamic_shared_bytes : static_bytes;
    if (shared_capacity < shared_bytes) {
      shared_capacity = (shared_bytes + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
      const auto release = [](void* buffer) {
        forget_owned(buffer);
        std::free(buffer);
      };
      shared = {static_cast<u8*>(std::aligned_alloc(kSharedAlignment, shared_capacity)), release};
      note_owned(shared.get(), shared_capacity, Owner::kBlock);
    }
    threads.assign(count, ThreadRecord{});
    warps.resize((count + kWarpLanes - 1) / kWarpLanes);
    for (u32 i = 0; i < count; ++i) {
      ThreadRecord& thread = threads[i];
      thread.shared = shared.get();
      thread.shared_bytes = shared_bytes;
      thread.dynamic_offset = dynamic_offset;
      thread.dynamic_bytes = of.dynamic_shared_bytes;
      thread.index = i;
      thread.tid = {i % of.block.x, i / of.block.x % of.block.y, i / of.block.x / of.block.y};
      thread.ctaid = &index;
      thread.ntid = &of.block;
      thread.nctaid = &of.grid;
      thread.sites = by.sites.data();
      thread.races = engine().options.races;
      thread.poison = poison();
      thread.counted = engine().options.counted;
      thread.cooperative = of.cooperative;
      thread.block = this;
    }
  }
  ready.reset(count);
  started = 0;
  live = count;
  at_barriers = at_warps = at_masks = yields = polls = 0;
  finished = yielded = false;
  for (u32 i = 0; i < warps.size(); ++i) {
    u32 lanes = std::min(kWarpLanes, count - i * kWarpLanes);
    warps[i] = {lanes == kWarpLanes ? ~0u : (1u << lanes) - 1, 0};
  }
  bulk_copies.clear();
  takes_turns = engine().options.interleaved;
  turns = 0;
  if (engine().options.races) races().start_block(*this);
  if (engine().options.counted) {
    executed().start_block(*this);
  } else if (!executions.empty()) {  // of an earlier call, which counted
    executions.clear();
    for (ThreadRecord& thread : threads) thread.executed = nullptr;
  }
  spoil(shared.get(), shared_bytes);
}

Worker& this_worker() {
  if (!worker_of_this_thread) {
    worker_of_this_thread = new Worker;
    install_signal_stack();
    std::lock_guard lock(workers_mutex);
    workers().push_back(worker_of_this_thread);
  }
  return *worker_of_this_thread;
}

const std::vector<Worker*>& all_workers() { return workers(); }

void release_idle_stacks() {
  std::lock_guard lock(workers_mutex);
  for (Worker* worker : workers()) worker->stacks.release();
}

bool in_kernel() { return worker_of_this_thread && worker_of_this_thread->current; }

void Worker::forget_sites() {
  std::fill(sites.begin(), sites.end(), SiteCache{~u64{0}, 0});
  ranges_.assign(engine().options.races ? sites.size() : 0, Range{});
  sites_generation = memory_generation();
}

bool Worker::find(u32 site, u64 address, u64 bytes, Range& range) {
  if (sites_generation != memory_generation()) forget_sites();
  range = ranges_[site];
  if (address - range.base < range.bytes && bytes <= range.bytes - (address - range.base)) return true;
  if (!find_range(address, bytes, range)) return false;
  ranges_[site] = range;
  return true;
}

void Worker::run(Launch& launch) {
  const u32 site_count = engine().module->site_count + 1;
  if (sites.size() != site_count) sites.resize(site_count);
  forget_sites();
  std::vector<std::unique_ptr<Block>> resident;  // ascending, so that blocks which look back find what they wait for
  std::size_t cursor = 0, idle = 0;
  u64 room = launch.resident;
  for (;;) {
    std::unique_ptr<Block> next;
    if (resident.size() < room) next = take_block(*this, launch);
    if (!next && !resident.empty()) {
      if (cursor >= resident.size()) cursor = 0;
      next = std::move(resident[cursor]);
      resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(cursor));
      if (sites_generation != memory_generation()) forget_sites();
    }
    if (!next) break;
    run_block(*this, *next);
    while (launched) {
      family().run_launched(std::move(launched));
      forget_sites();
      run_block(*this, *next);
    }
    if (next->finished) {
      if (engine().options.counted) count_finished_block(*next);
      spare.push_back(std::move(next));
      idle = 0;
      stalled = false;
      continue;
    }
    if (next->waits) sched_yield();
    idle = next->waits ? idle + 1 : 0;
    if (!next->waits) stalled = false;
    const auto place = std::ranges::upper_bound(resident, next->number, {}, [](const auto& block) { return block->number; });
    cursor = static_cast<std::size_t>(place - resident.begin()) + 1;
    resident.insert(place, std::move(next));
    answer_what_waits(*this, resident);
    if (idle > 2 * resident.size()) {
      if (!release_postponed(resident)) {
        const u64 more = admit_more(launch, resident.size());
        room += more;
        stalled = !more && launch.next.load(std::memory_order_relaxed) < launch.blocks;
      }
      idle = 0;
    }
  }
  block = nullptr;
  stalled = false;
}

void suspend(ThreadRecord& thread) { dispatch(*thread.block->worker, &thread); }

void resume(ThreadRecord& thread) {
  if (&thread == thread.block->worker->current) {
    thread.state = State::kRunning;
    return;
  }
  thread.state = State::kReady;
  thread.block->ready.push(thread.index);
}

Where where(const ThreadRecord& thread, u32 location) {
  return {thread.block->launch->name, &thread.block->index, &thread.tid, location};
}

std::string place(const ThreadRecord& thread, u32 location) {
  std::string out = ", in kernel " + thread.block->launch->name + ", block " + text(thread.block->index) +
                    ", thread " + text(thread.tid);
  std::string line = line_text(location);
  return line.empty() ? out : out + ", " + line;
}

extern "C" void wc_yield(Thread* caller) {
  ThreadRecord& thread = record(caller);
  Block& block = *thread.block;
  ++thread.waited;
  thread.yielded_at = thread.location;
  thread.state = State::kReady;
  block.ready.push(thread.index);
  ++block.polls;
  block.yielded = true;
  const u32 round = block.ready.size() + 1;
  if (block.started == block.count && (++block.yields > kYieldRounds * round || block.polls > kPollRounds * round)) {
    block.yields = block.polls = 0;
    block.waits = true;
    block.worker->set_aside = true;
  }
  suspend(thread);
}

extern "C" void wc_exit(Thread* caller) {
  ThreadRecord& thread = record(caller);
  Worker& worker = *thread.block->worker;
  const Stack own = thread.stack;
  finish_thread(thread);
  // A fresh fiber must not start on the stack that this call still stands on.
  Stack replacement;
  if (thread.block->starts_next()) {
    replacement = worker.stacks.take(own.units);
    worker.stacks.give_back(own);
    worker.stacks.give_back(replacement);
  } else {
    worker.stacks.give_back(own);
  }
  dispatch(worker, nullptr);
  __builtin_unreachable();
}

}  // namespace warpcourt::cpu
