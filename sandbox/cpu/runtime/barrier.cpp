// Barriers of a block: bar.sync and its kin, by id, with or without an expected count.
//
// A barrier without a count waits for every thread that has not exited, as the hardware does. Two things
// work on a device only by luck and are warned about: threads that had exited, and a block whose threads
// met at different __syncthreads().
#include <algorithm>

#include "diagnostics.h"
#include "engine.h"
#include "scheduler.h"
#include "sums.h"
#include "trace.h"
#include "waits.h"

namespace warpcourt::cpu {
namespace {

// The group whose threads must all arrive.
const char* members(BarrierOp op) { return op == BarrierOp::kGridSync ? "grid" : "block"; }

void warn_divergence(Block& block, const Barrier& barrier) {
  const ThreadRecord& first = block.threads[barrier.waiters.front()];
  const std::string first_line = line_text(first.waits_at), name = barrier_name(first.barrier_op);
  for (u32 index : barrier.waiters) {
    const ThreadRecord& other = block.threads[index];
    if (other.waits_at == first.waits_at || line_text(other.waits_at) == first_line) continue;
    report({Severity::kWarning, "divergent_barrier",
            "divergent " + name + ": thread " + text(first.tid) + " waits at " + first_line + " and thread " +
                text(other.tid) + " at " + (other.barrier_op == first.barrier_op ? "" : barrier_name(other.barrier_op) + ", ") +
                line_text(other.waits_at) + ", in kernel " + block.launch->name + ", block " + text(block.index) +
                ". Every thread of a " + members(first.barrier_op) + " must reach the same " + name +
                "; move it out of the branch.",
            where(other, other.waits_at)});
    return;
  }
}

void warn_exited(Block& block, const Barrier& barrier) {
  const ThreadRecord& first = block.threads[barrier.waiters.front()];
  const u32 exited = block.count - block.live;
  report({Severity::kWarning, "exited_threads",
          count(exited, "thread") + " of " + std::to_string(block.count) +
              " ended the kernel without reaching the " + barrier_name(first.barrier_op) + place(first, first.waits_at) +
              ". Every thread of a " + members(first.barrier_op) +
              " must reach it: do not put it inside an if, and do not return before it.",
          where(first, first.waits_at)});
}

u32 outcome(const Barrier& barrier) {
  switch (barrier.op) {
    case BarrierOp::kAnd: return barrier.true_count == barrier.waiters.size();
    case BarrierOp::kOr: return barrier.true_count != 0;
    default: return barrier.true_count;
  }
}

void release_if_complete(Block& block, Barrier& barrier) {
  const u32 needed = barrier.expected ? barrier.expected : block.live;
  if (barrier.arrived == 0 || barrier.arrived < needed) return;
  if (!barrier.expected && !barrier.waiters.empty()) {
    if (barrier.diverged) warn_divergence(block, barrier);
    if (block.live < block.count) warn_exited(block, barrier);
  }
  if (engine().options.counted) tally().count_barrier();
  const u32 result = outcome(barrier);
  for (u32 index : barrier.waiters) {
    block.threads[index].result = result;
    resume(block.threads[index]);
  }
  block.at_barriers -= static_cast<u32>(barrier.waiters.size());
  block.yields = 0;
  barrier.waiters.clear();
  barrier.arrived = barrier.true_count = 0;
  block.meet();
}

// A count of the whole block is the same as none, unless threads have arrived that do not wait: these may exit before
// the others come, and count nevertheless. Counts are of whole warps, and the last warp of a block may be smaller.
Barrier& arrive(Block& block, u32 id, u32 expected, bool waits) {
  Barrier& barrier = block.barriers[id % kBarriers];
  const bool all_wait = waits && barrier.arrived == barrier.waiters.size();
  barrier.expected = expected >= block.count && all_wait ? 0 : std::min(expected, block.count);
  ++barrier.arrived;
  return barrier;
}

}  // namespace

void release_barriers_after_exit(Block& block) {
  for (Barrier& barrier : block.barriers) release_if_complete(block, barrier);
}

extern "C" u32 wc_barrier(Thread* caller, u32 id, u32 expected, BarrierOp op, u32 value, u32 location) {
  ThreadRecord& thread = record(caller);
  Block& block = *thread.block;
  if (engine().options.traced) tracer().barrier(thread, location);
  Barrier& barrier = arrive(block, id, expected, true);
  barrier.op = op;
  barrier.true_count += value != 0;
  if (barrier.waiters.empty()) {
    barrier.location = location;
    barrier.diverged = false;
  }
  barrier.diverged |= barrier.location != location;
  barrier.waiters.push_back(static_cast<u16>(thread.index));
  ++block.at_barriers;
  thread.state = State::kAtBarrier;
  thread.barrier = static_cast<u8>(id % kBarriers);
  thread.barrier_op = op;
  thread.waits_at = location;
  release_if_complete(block, barrier);
  if (thread.state == State::kAtBarrier) suspend(thread);
  return thread.result;
}

extern "C" void wc_barrier_arrive(Thread* caller, u32 id, u32 expected, u32) {
  Block& block = *caller->block;
  release_if_complete(block, arrive(block, id, expected, false));
}

}  // namespace warpcourt::cpu
