// Words races: what was accessed by whom, and what is missing between the accesses. See races.h.
#include "child_grids.h"
#include "diagnostics.h"
#include "engine.h"
#include "memory.h"
#include "races.h"
#include "scheduler.h"
#include "shared_names.h"

namespace warpcourt::cpu {
namespace {

const char* verb(Access kind) {
  if (!writes(kind)) return "reads";
  return is_atomic(kind) ? "updates" : "writes";
}

const char* past(Access kind) {
  if (!writes(kind)) return " read it";
  return is_atomic(kind) ? " updated it" : " wrote it";
}

Dim3 position(u64 index, const Dim3& size) {
  return {static_cast<u32>(index % size.x), static_cast<u32>(index / size.x % size.y),
          static_cast<u32>(index / size.x / size.y)};
}

// All ways without a barrier between two locations, in one. Without any, `kinds` is 0.
Way ways_between(u32 one, u32 other, bool same_warp) {
  const Module& module = *engine().module;
  Way found = {};
  for (u32 i = 0; i < module.way_count; ++i) {
    const Way& way = module.ways[i];
    if (!(way.upper == one && way.lower == other) && !(way.upper == other && way.lower == one)) continue;
    const u32 kinds = same_warp ? way.kinds / kDownInWarp : way.kinds & (kDown | kUp);
    if (!kinds) continue;
    const u8 known = found.kinds;
    found = way;
    found.kinds = static_cast<u8>(known | kinds);
  }
  return found;
}

// What separates two accesses of a block too little, and what to do about it.
struct Missing {
  std::string where, advice;
};

// For one line that reads and writes.
constexpr char kUpdates[] = "If threads update the same element, use an atomic operation such as atomicAdd. ";
// For a line that reads and another one that writes.
constexpr char kDecides[] =
    "If the value that was read decides what is written, use an atomic operation that does both, such as atomicCAS. ";

// For a plain write and an atomic update, as when a kernel sets the sum that it adds to.
constexpr char kSetsFirst[] =
    "Set the element before the launch, with cudaMemsetAsync or in a kernel of its own: nothing in a kernel makes the other "
    "blocks wait for one that sets it.";

bool sets_first(const Touch& before, const Touch& now) {
  return (before.kind == Access::kWrite && is_atomic(now.kind)) || (now.kind == Access::kWrite && is_atomic(before.kind));
}

// Other blocks may use global memory, too, and threads of a block need not run a loop equally often.
std::string advice_for_global(bool updates, bool in_loop, const std::string& between) {
  return std::string(updates ? kUpdates : kDecides) +
         "Otherwise, write to another array, or move one of the two accesses to another launch. __syncthreads() " +
         between + " helps only if no other block uses these elements" +
         (in_loop ? " and all threads of the block run the loop equally often." : ".");
}

Missing missing_between(const Touch& before, const Touch& now, bool shared, bool same_warp, bool one_warp) {
  const std::string barrier = !same_warp ? "__syncthreads()" : one_warp ? "__syncwarp()" : "barrier";
  const std::string put = same_warp && one_warp ? "Put __syncwarp() or __syncthreads() " : "Put __syncthreads() ";
  const bool both_write = writes(before.kind) && writes(now.kind);
  const std::string within = same_warp && !one_warp ? " (__syncwarp() is enough if no other warp uses these elements)" : "";
  // Where one thread only reads, it would still read too early or too late.
  const std::string end = within + (both_write ? ", or use an atomic operation." : ".");
  const Way way = ways_between(before.location, now.location, same_warp);
  const u32 kinds = way.kinds;
  const std::string first = "line " + std::to_string(way.upper_line), second = "line " + std::to_string(way.lower_line);
  const bool same_line = way.upper_line == way.lower_line;
  if (!shared && sets_first(before, now)) {
    return {"with no " + barrier + " between", std::string(kSetsFirst) + " In a single block, __syncthreads() is enough."};
  }
  if (kinds & kUp && (same_line || !(kinds & kDown))) {
    const std::string lines = same_line ? first + " in one iteration of the loop and the same line in the next"
                                        : second + " in one iteration of the loop and " + first + " in the next";
    const std::string updates = same_line ? kUpdates + ("Otherwise, p" + put.substr(1)) : put;
    const std::string where = "with no " + barrier + " between " + lines;
    if (!shared) return {where, advice_for_global(same_line || both_write, true, "at the end of the loop body")};
    return {where, updates + "at the end of the loop body" + (same_line ? within + "." : end)};
  }
  const std::string where = "with no " + barrier + " between";
  const std::string between = kinds && !same_line ? "between " + first + " and " + second : "between the two";
  if (!shared) return {where, advice_for_global((kinds && same_line) || both_write, kinds & kUp, between)};
  if (kinds & kUp) {
    return {where, put + "between " + first + " and " + second + ", and again at the end of the loop body" + end};
  }
  if (kinds & kDown && same_line) {
    return {where, kUpdates + ("Otherwise, read into a variable first, p" + put.substr(1)) + "after that" + within + ", and then write."};
  }
  if (kinds & kDown) return {where, put + "between " + first + " and " + second + end};
  const bool one_call = before.location == now.location || line_text(before.location) == line_text(now.location);
  return {where, put + (one_call ? "before this memory is used again" : "between the two") + within +
                     ", or use an atomic operation."};
}

std::string what_is_at(u64 address, u32 bytes) {
  const std::optional<Allocation> found = live_allocation(address);
  return found ? found->element(address, bytes) + " of " + found->text() : "global memory";
}

bool descends(const Grid& grid, const Grid& from) {
  const Grid* at = &grid;
  while (at->generation > from.generation) at = at->parent;
  return at == &from;
}

// Why nothing orders accesses of the two grids, and what does.
std::string between_grids(const Grid& one, const Grid& other) {
  if (descends(one, other) || descends(other, one)) {
    return ", with no ordering between the parent and its child. A child sees what its launching thread wrote before the "
           "launch, and what __syncthreads() ordered before that. A parent never sees what a child wrote: read it in a "
           "kernel that the parent launches into cudaStreamTailLaunch.";
  }
  return ", with no ordering between the two child grids. Grids that one block launches into one stream run one after the "
         "other; those of different blocks or streams do not. Use an atomic operation, or move the second access to a "
         "kernel that is launched into cudaStreamTailLaunch.";
}

}  // namespace

std::string Races::barrier_text(const Touch& before, const ThreadRecord& thread, const Touch& now) const {
  if (!is_plain(before.kind) || !is_plain(now.kind)) return "";
  const Touch* access = &before;
  std::optional<LoneThreads::Missing> missing = lone_threads_.barrier_missing(before, false);
  if (!missing) {
    access = &now;
    missing = lone_threads_.barrier_missing(now, true);
  }
  if (!missing) return "";
  const std::string barrier = missing->same_warp ? "__syncwarp()" : "__syncthreads()";
  const Dim3& size = thread.block->launch->block;
  std::string text = "Thread " + cpu::text(position(access->thread, size)) +
                     " does not synchronise with other blocks itself. Thread " + cpu::text(position(missing->thread, size)) +
                     " of its " + (missing->same_warp ? "warp" : "block") + " does, " +
                     (missing->after && missing->before ? "from " + line_text(missing->after) + " to " + line_text(missing->before)
                                                        : "in " + line_text(missing->after | missing->before)) +
                     ". ";
  if (missing->after && missing->before) {
    return text + "Put one " + barrier + " after " + line_text(missing->after) + " and another one before " +
           line_text(missing->before) + ".";
  }
  return text + "Put " + barrier +
         (missing->after ? " after " + line_text(missing->after) + ", so that the other threads wait as well."
                         : " before " + line_text(missing->before) + ", so that this thread waits for the others.");
}

std::string Races::race_text(const Event& event, const Touch& before, u32 offset) const {
  const Touch& now = event.touch;
  const ThreadRecord& thread = *event.thread;
  const Grid& earlier = family().grid_of(before.block);
  const Grid& grid = *thread.block->launch->node;
  const std::string kernel = grid.launch.name;
  const bool same_grid = &earlier == &grid;
  const bool same_block = before.block == now.block;
  const bool same_warp = same_block && before.thread / kWarpLanes == now.thread / kWarpLanes;
  const auto in_block = [&](const Dim3& block, const Grid& of) {
    return (same_block ? "" : " of block " + text(block)) + (same_grid ? "" : " of kernel " + of.launch.name);
  };
  const Dim3 other_block = position(before.block - earlier.launch.first_block, earlier.launch.grid);
  const std::string at = event.shared ? shared_text(thread, offset, event.bytes)
                                      : what_is_at(event.address - event.offset + offset, event.bytes);
  std::string message = "race on " + at + ": thread " + text(position(before.thread, earlier.launch.block)) +
                        in_block(other_block, earlier) + past(before.kind) + in_line(before.location) + " and thread " +
                        text(thread.tid) + in_block(thread.block->index, grid) + ' ' + verb(now.kind) + " it" +
                        in_line(now.location);
  if (now.kind == Access::kCachedRead && same_grid && writes(before.kind)) {
    message += ", through a cache that may hold what was there before kernel " + kernel +
               ". Read memory that the kernel writes through a pointer that is not const __restrict__, and not with "
               "__ldg(), or read it in another launch.";
  } else if (same_block) {
    const bool one_warp = thread.block->count <= kWarpLanes;
    const Missing missing = missing_between(before, now, event.shared, same_warp, one_warp);
    message += ' ' + missing.where + ", in kernel " + kernel + ", block " + text(thread.block->index) + ". " +
               missing.advice;
  } else if (!same_grid) {
    message += between_grids(earlier, grid);
  } else if (const std::string barrier = event.shared ? "" : barrier_text(before, thread, now); !barrier.empty()) {
    message += ", in kernel " + kernel + ". " + barrier;
  } else if (covered(before, thread.block->updated_at)) {
    message += ", in kernel " + kernel +
               ". An atomic operation saw the lock or counter, but it does not order the plain read after it: the L1 cache "
               "may hold the element as another block has read it before. Put __threadfence() after the atomic operation.";
  } else if (covered(before, thread.block->looked_at)) {
    message += ", in kernel " + kernel +
               ". A relaxed read saw the flag, but it does not order the accesses after it. Read the flag with "
               "memory_order_acquire, or put __threadfence() after the read.";
  } else {
    message += ", with no ordering between the two blocks, in kernel " + kernel + ". ";
    message += !event.shared && sets_first(before, now)
                   ? kSetsFirst
                   : "Use an atomic operation, put __threadfence() between the write and the flag or counter that "
                     "announces it, or move the second access to another launch.";
    if (has_block_scope(before.kind) || has_block_scope(now.kind)) {
      message += " An operation of block scope does not reach other blocks.";
    }
  }
  if (is_volatile(before.kind) || is_volatile(now.kind)) {
    message += " volatile does not order accesses";
    message += same_warp ? ", and threads of a warp need not run in lockstep." : ".";
  }
  return message;
}

std::string Races::reordered_text(const ThreadRecord& thread, const Touch& write, const Touch& read) const {
  const Launch& launch = *thread.block->launch;
  const SeenWrite& seen = thread.seen;
  const std::string early = line_text(write.location), late = line_text(seen.write.location);
  const std::string message =
      "In kernel " + launch.name + ", thread " + text(thread.tid) + " of block " + text(thread.block->index) + " reads in " +
      line_text(seen.read_at) + " the value that another thread wrote in " + late + ". It then reads in " +
      line_text(read.location) + " an old value, although that thread wrote a new one in " + early + ", before " + late +
      ". A GPU may reorder relaxed accesses. ";
  if (covered(write, std::max(thread.released, thread.block->looked_at))) {
    return message + "Put __threadfence() between the two reads, or read in " + line_text(seen.read_at) +
           " with memory_order_acquire.";
  }
  return message + "Put __threadfence() between the two writes, or write in " + late + " with memory_order_release.";
}

}  // namespace warpcourt::cpu
