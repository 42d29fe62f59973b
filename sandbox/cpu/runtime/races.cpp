// Finds races, and uninitialised reads of shared memory. See races.h.
#include "races.h"

#include <cstring>
#include <utility>

#include "child_grids.h"
#include "counters.h"
#include "diagnostics.h"
#include "engine.h"
#include "memory.h"
#include "operations.h"
#include "requests.h"
#include "scheduler.h"
#include "shared_names.h"

namespace warpcourt::cpu {
namespace {

constexpr u64 kPageBytes = 4096;
constexpr std::size_t kMaxPages = 1024;   // some 190 KiB each
constexpr u32 kMaxFences = 1u << 20;      // per block: what comes later is not told apart

// What an access is for other blocks.
Access beyond_block(Access kind) {
  if (!has_block_scope(kind)) return kind;
  return writes(kind) ? Access::kWrite : Access::kRead;
}

// Whether accesses of these kinds to one word need an order.
bool in_conflict(Access a, Access b, bool shared, bool same_block) {
  if (!same_block) a = beyond_block(a), b = beyond_block(b);
  if (!writes(a) && !writes(b)) return false;
  if (!is_plain(a) && !is_plain(b)) return false;
  const Access plain = is_plain(a) ? a : b, other = is_plain(a) ? b : a;
  if (is_polled_read(other)) return false;
  return plain == Access::kWrite || other == Access::kWrite || shared;
}

void note_reader(Cell& cell, u32 block) {
  const u32 reader = block + 1;
  if (!cell.readers[0]) {
    cell.readers[0] = reader;
  } else if (cell.readers[0] != reader) {
    cell.readers[1] = reader;
  }
}

bool was_read_elsewhere(const Cell& cell, u32 block) {
  return cell.readers[1] || (cell.readers[0] && cell.readers[0] != block + 1);
}

}  // namespace

Races& races() {
  static auto* instance = new Races;
  return *instance;
}

void Races::start_call() {
  pending_ = {};
  pages_.clear();
  last_cells_ = nullptr;
}

void Races::start_launch() {
  launch_run_ = ++runs_;
  clock_ = writes_ = 0;
  covered_.clear();
  lone_threads_.start_launch();
  suspects_.clear();
  volatile_looks_.clear();
}

void Races::finish_launch() {
  settle();
  for (const auto& [locations, suspect] : suspects_) {
    if (suspect.location < polls_.size() && polls_[suspect.location]) continue;
    if (!reported_.insert(locations).second) continue;
    report({Severity::kWarning, "race", suspect.message,
            {suspect.kernel, &suspect.block, &suspect.thread, suspect.location}});
  }
  suspects_.clear();
}

void Races::start_block(Block& block) {
  settle();
  if (block.shadow.bytes() < block.shared_bytes) block.shadow.resize(block.shared_bytes);
  block.run = ++runs_;
  ++block.epoch;
  block.fences = 0;
  block.acquired = block.launch->acquired;
  block.looked_at = block.updated_at = 0;
  block.fenced = false;
  block.warp_orders.resize(block.warps.size());
  for (WarpOrder& order : block.warp_orders) order.reset();
  for (ThreadRecord& thread : block.threads) {
    thread.looks = 0;
    thread.looked_at = thread.polls[0] = thread.polls[1] = 0;
    thread.volatile_epoch = 0;
    thread.released = 0;
    thread.seen = {};
  }
}

void Races::fence(ThreadRecord& thread, bool within_block) {
  Block& block = *thread.block;
  block.fenced = true;
  if (within_block) return;
  lone_threads_.fence(thread);
  acquire(thread);
  if (block.fences < kMaxFences) ++block.fences;
}

void Races::acquire(ThreadRecord& thread) {
  lone_threads_.fence(thread);
  thread.block->acquired = std::max(thread.block->acquired, thread.released);
}

bool Races::ordered(const Touch& before, const Block& block, const Touch& now, bool in_caches) const {
  if (now.kind == Access::kCachedRead && writes(before.kind)) return &family().grid_of(before.block) != block.launch->node;
  if (before.block != now.block) {
    const bool reads_cache = in_caches && now.kind == Access::kRead;
    return covered(before, block.acquired) || (!reads_cache && covered(before, block.updated_at)) ||
           family().ordered(before, now.block);
  }
  if (before.thread == now.thread || before.epoch != now.epoch) return true;
  const bool same_warp = before.thread / kWarpLanes == now.thread / kWarpLanes;
  return same_warp && block.warp_orders[now.thread / kWarpLanes].covers(
                          now.thread % kWarpLanes, before.thread % kWarpLanes, before.lane_clock);
}

bool Races::covered(const Touch& before, u64 acquired) const {
  const auto found = covered_.find(before.block);
  return found != covered_.end() && before.fences < found->second.size() && found->second[before.fences] <= acquired;
}

void Races::acquire(const Cell& cell, ThreadRecord& thread, Access kind) {
  if (!cell.released) return;
  Block& block = *thread.block;
  const bool same_block = cell.releaser_block == block.family_number;
  if (!same_block && (cell.narrow || has_block_scope(kind))) return;
  if (!same_block && (kind == Access::kRelaxedRead || is_atomic(kind))) {
    thread.released = std::max(thread.released, cell.released);
    block.looked_at = std::max(block.looked_at, cell.released);
    if (is_atomic(kind)) block.updated_at = std::max(block.updated_at, cell.released);
    return;
  }
  block.acquired = std::max(block.acquired, cell.released);
  if (same_block && cell.releaser != thread.index) ++block.epoch;
}

void Races::release(Cell& cell, ThreadRecord& thread, Access kind) {
  Block& block = *thread.block;
  if (!block.fenced) return;
  cell.released = ++clock_;
  cell.releaser = static_cast<u16>(thread.index);
  cell.releaser_block = block.family_number;
  cell.narrow = has_block_scope(kind);
  if (cell.narrow) return;
  std::vector<u64>& covered = covered_[block.family_number];
  if (covered.size() < block.fences) covered.resize(block.fences, clock_);
}

void Races::keep_old(Cell& cell, const Touch& now, const void* old, u32 bytes) {
  if (!engine().options.stale_reads) return;
  std::memcpy(&cell.old, old, bytes);
  cell.by_update = now.kind != Access::kWrite;
  cell.stale_reads = kStaleReads;
}

// If nothing orders the last write before this access, puts what was there before into memory, for a moment.
bool Races::show_old(const Event& event, Cell& cell, u32 offset, u32 bytes) {
  if (!cell.stale_reads) return false;
  ThreadRecord& thread = *event.thread;
  const Touch& now = event.touch;
  const Touch& write = cell.by_update ? cell.update : cell.write;
  if (is_atomic(now.kind) && (now.kind != Access::kBlockAtomic || write.block == now.block)) return false;
  if (ordered(write, *thread.block, now, cell.in_caches)) return false;
  if (thread.looks > kPatience) {
    cell.stale_reads = 0;
    return false;
  }
  --cell.stale_reads;
  auto* const at = reinterpret_cast<u8*>(event.address) + (offset - event.offset);
  u32 newest = 0;
  std::memcpy(&newest, at, bytes);
  if (now.kind != Access::kBlockAtomic) {
    if (newest != cell.old) shown_.push_back({reinterpret_cast<u64>(at), bytes, newest});
  }
  std::memcpy(at, &cell.old, bytes);
  if (now.kind == Access::kVolatileRead && !shown_.empty() && !is_atomic(write.kind)) {
    suspect(u64{write.location} << 32 | now.location, thread, now.location, race_text(event, write, offset));
  }
  return newest != cell.old;
}

void Races::note_reordered(const Event& event, const Cell& cell, bool sees_old) {
  ThreadRecord& thread = *event.thread;
  const Touch& now = event.touch;
  const Touch& write = cell.update ? cell.update : cell.write;
  SeenWrite& seen = thread.seen;
  if (!sees_old) {
    const bool own = write.block == now.block && write.thread == now.thread;
    if (write && !own) seen = {write, cell.changed, now.location};
    return;
  }
  const bool one_writer = seen.write && seen.write.block == write.block &&
                          (seen.write.thread == write.thread || seen.write.epoch > write.epoch);
  if (!one_writer || seen.number <= cell.changed || now.kind == Access::kVolatileRead) return;
  report({Severity::kNote, "reordered_read", reordered_text(thread, write, now), where(thread, now.location)});
}

void Races::suspect(u64 locations, const ThreadRecord& reader, u32 location, std::string message) {
  if (reported_.contains(locations)) return;
  suspects_.try_emplace(locations, std::move(message), reader.block->launch->name, reader.block->index, reader.tid, location);
}

// Finds reads that would have come after this write if the warp ran in lockstep.
void Races::note_volatile(const Event& event, const Cell& cell, u32 offset) {
  if (!event.shared || !is_volatile(event.touch.kind)) return;
  ThreadRecord& thread = *event.thread;
  Block& block = *thread.block;
  const Touch& now = event.touch;
  if (now.kind == Access::kVolatileRead) {
    if (thread.volatile_epoch != now.epoch) return;
    Look& look = volatile_looks_[&cell];
    // Of several, the first one: the thread that writes the word reads it, too.
    if (look.run != event.run || look.read.epoch != now.epoch) look = {now, event.run, thread.volatile_write};
    return;
  }
  const auto found = volatile_looks_.find(&cell);
  if (found != volatile_looks_.end()) {
    const auto& [read, run, written_at] = found->second;
    const bool same_warp = read.thread / kWarpLanes == now.thread / kWarpLanes;
    if (run == event.run && same_warp && written_at == now.location && !ordered(read, block, now)) {
      suspect(u64{now.location} << 32 | read.location, block.threads[read.thread], read.location,
              race_text(event, read, offset));
    }
  }
  thread.volatile_write = now.location;
  thread.volatile_epoch = now.epoch;
}

// A thread that comes back to a place before it writes anything is polling there.
void Races::note_poll(const Event& event) {
  ThreadRecord& thread = *event.thread;
  const Access kind = event.touch.kind;
  if (writes(kind)) {
    thread.polls[0] = thread.polls[1] = 0;
  } else if (is_polled_read(kind)) {
    if (thread.polls[0] == event.address || thread.polls[1] == event.address) {
      if (polls_.size() <= event.touch.location) polls_.resize(event.touch.location + 1);
      polls_[event.touch.location] = true;
    } else {
      thread.polls[1] = std::exchange(thread.polls[0], event.address);
    }
  }
  if (!reads(kind)) return;
  thread.looks = thread.looked_at == event.address ? thread.looks + 1 : 1;
  thread.looked_at = event.address;
}

void Races::report_race(const Event& event, const Touch& before, u32 offset) {
  const Touch& now = event.touch;
  for (const Touch* touch : {&before, &now}) {
    if (!is_plain(touch->kind)) continue;
    std::vector<bool>& racy = touch->kind == Access::kWrite ? racy_writes_ : racy_reads_;
    if (racy.size() <= touch->location) racy.resize(touch->location + 1);
    racy[touch->location] = true;
  }
  if (!reported_.insert(u64{before.location} << 32 | now.location).second) return;
  report({Severity::kWarning, "race", race_text(event, before, offset), where(*event.thread, now.location)});
}

void Races::check(const Event& event, const Touch& before, u32 offset, bool in_caches) {
  if (before && in_conflict(before.kind, event.touch.kind, event.shared, before.block == event.touch.block) &&
      !ordered(before, *event.thread->block, event.touch, in_caches)) {
    report_race(event, before, offset);
  }
}

// Compares the access with what is known of the cell, and makes it known there.
void Races::commit(const Event& event, Cell& cell, u32 offset, u32 bytes) {
  const Touch& now = event.touch;
  if (is_polled_read(now.kind) || is_atomic(now.kind)) acquire(cell, *event.thread, now.kind);
  check(event, cell.write, offset, cell.in_caches);
  check(event, cell.update, offset, cell.in_caches);
  if (engine().options.stale_reads) note_volatile(event, cell, offset);
  const bool sees_old = reads(now.kind) && show_old(event, cell, offset, bytes);
  if (is_polled_read(now.kind)) {
    if (engine().options.stale_reads) note_reordered(event, cell, sees_old);
    return;
  }
  if (!writes(now.kind)) {
    note_reader(cell, now.block);
    if (cell.read && cell.read.block != now.block) {
      cell.foreign = cell.read;
      cell.neighbour = {};
    } else if (cell.read && cell.read.thread != now.thread) {
      cell.neighbour = cell.read;
    }
    cell.read = now;
    return;
  }
  for (const Touch* read : {&cell.read, &cell.neighbour, &cell.foreign}) check(event, *read, offset);
  cell.changed = ++writes_;
  cell.in_caches = was_read_elsewhere(cell, now.block);
  const u32 from = offset - event.offset;
  const u8* const in_memory = reinterpret_cast<const u8*>(event.address) + from;
  if (now.kind == Access::kWrite) {
    keep_old(cell, now, event.bytes <= kWidest ? before_ + from : in_memory, bytes);
    cell.write = now;
    cell.update = cell.read = cell.neighbour = cell.foreign = {};
  } else {
    if (now.kind == Access::kAtomic) {
      cell.stale_reads = 0;
    } else {
      keep_old(cell, now, in_memory, bytes);
    }
    cell.update = now;
  }
  release(cell, *event.thread, now.kind);
}

void Races::settle() {
  for (const Shown& shown : shown_) {
    std::memcpy(reinterpret_cast<void*>(shown.address), &shown.value, shown.bytes);
  }
  shown_.clear();
  if (!pending_.thread) return;
  const Event event = pending_;
  pending_.thread = nullptr;
  event.cells->visit(event.offset, event.bytes, [&](Cell& cell, u32 offset, u32 bytes) {
    const u32 from = offset - event.offset;
    const bool same = std::memcmp(reinterpret_cast<const u8*>(event.address) + from, before_ + from, bytes) == 0;
    if (cell.run != event.run) return;
    if (same) {
      cell.stale_reads = 0;  // else the writer might see what was there before
    } else {
      commit(event, cell, offset, bytes);
    }
  });
}

void Races::check_initialised(const Event& event, const Cell& cell, u32 offset, u32 bytes) const {
  if (cell.written && !cell.copied_by) return;
  ThreadRecord& thread = *event.thread;
  if (!cell.copied_by) {
    const u32 first = std::max(offset, event.offset) - event.offset;
    const u32 unset = static_cast<u32>(((u64{1} << bytes) - 1) << first);
    if (unset & ~thread.allowed_unset) return report_uninitialised(thread, offset, event.bytes, event.touch.location);
    thread.unset |= unset;
    thread.unset_read = {offset, event.bytes, event.touch.location, true};
    return;
  }
  const std::string message = "read of shared memory before the asynchronous copy" + in_line(cell.copied_by) +
                              " to it has ended: " + shared_text(thread, offset, event.bytes) +
                              place(thread, event.touch.location) +
                              ". Wait for the copy first (__pipeline_wait_prior, consumer_wait, cp.async.wait_group), "
                              "then put a barrier before other threads read.";
  report({Severity::kWarning, "uninitialised", message, where(thread, event.touch.location)});
}

void Races::report_uninitialised(const ThreadRecord& thread, u32 offset, u32 bytes, u32 location) const {
  report({Severity::kWarning, "uninitialised",
          "read of uninitialised shared memory: " + shared_text(thread, offset, bytes) + place(thread, location) +
              ". Shared memory is not initialised.",
          where(thread, location)});
}

void Races::leave_unset(Block& block, u32 offset, u32 mask) {
  for (; mask; ++offset, mask >>= 1) {
    const u32 bytes = offset % 4 == 0 && (mask & 0xf) == 0xf ? 4 : 1;
    if (mask & 1) block.shadow.visit(offset, bytes, [](Cell& cell, u32, u32) { cell.written = false; });
    if (bytes == 4) offset += 3, mask >>= 3;
  }
}

void Races::start_copy(Block& block, u32 offset, u32 bytes, u32 location) {
  settle();
  block.shadow.visit(offset, bytes, [&](Cell& cell, u32, u32) { cell.copied_by = location; });
}

void Races::finish_copy(ThreadRecord& thread, u32 offset, u32 bytes, u32 location) {
  settle();
  thread.block->shadow.visit(offset, bytes, [](Cell& cell, u32, u32) {
    if (cell.copied_by) cell.write = {};  // the start of this copy, perhaps by another thread
  });
  shared(thread, offset, bytes, Access::kWrite, location);
}

void Races::access(const Event& event) {
  settle();
  const Access kind = event.touch.kind;
  const bool deferred = kind == Access::kWrite && event.bytes <= kWidest;
  if (!event.shared && !is_plain(kind) && !has_block_scope(kind)) {
    lone_threads_.synchronise(*event.thread, event.address, event.touch);
  }
  if (engine().options.stale_reads) note_poll(event);
  event.cells->visit(event.offset, event.bytes, [&](Cell& cell, u32 offset, u32 bytes) {
    if (cell.run != event.run) cell = {.run = event.run};
    if (event.shared && reads(kind)) check_initialised(event, cell, offset, bytes);
    cell.written |= writes(kind);
    if (writes(kind)) cell.copied_by = 0;
    if (!deferred) commit(event, cell, offset, bytes);
  });
  if (!deferred) return;
  pending_ = event;
  std::memcpy(before_, reinterpret_cast<const void*>(event.address), event.bytes);
}

void Races::shared(ThreadRecord& thread, u32 offset, u32 bytes, Access kind, u32 location) {
  Block& block = *thread.block;
  access({&thread, &block.shadow, block.run, offset, bytes, reinterpret_cast<u64>(thread.shared) + offset, true,
          block.touch(thread, kind, location)});
}

void Races::global(ThreadRecord& thread, u64 address, u32 bytes, Access kind, u32 location) {
  operations().note(address, bytes, kind, location);
  Cells* cells = page(address);
  if (!cells) return settle();
  access({&thread, cells, launch_run_, static_cast<u32>(address % kPageBytes), bytes, address, false,
          thread.block->touch(thread, kind, location)});
}

void Races::cached(ThreadRecord& thread, u64 address, u32 bytes, u32 location) {
  settle();
  if (pages_.contains(address / kPageBytes)) global(thread, address, bytes, Access::kCachedRead, location);
}

Cells* Races::page(u64 address) {
  const u64 number = address / kPageBytes;
  if (last_cells_ && number == last_page_) return last_cells_;
  auto found = pages_.find(number);
  if (found == pages_.end()) {
    if (pages_.size() >= kMaxPages) return nullptr;
    found = pages_.emplace(number, std::make_unique<Cells>(kPageBytes)).first;
  }
  last_page_ = number;
  return last_cells_ = found->second.get();
}

extern "C" void wc_shadow_shared(Thread* caller, u32 offset, u32 bytes, Access kind, u32 location) {
  ThreadRecord& thread = record(caller);
  take_turn(thread, kind, location);
  races().shared(thread, offset, bytes, kind, location);
  if (engine().options.counted) count_access(thread, {0, location, bytes, kind, Space::kShared}, offset);
}

extern "C" void wc_constant(Thread* caller, u64 address, u32 bytes, u32 location) {
  races().cached(record(caller), address, bytes, location);
}

extern "C" void wc_meet(Thread* caller) { caller->block->meet(); }

extern "C" void wc_acquire(Thread* caller) { races().acquire(record(caller)); }

extern "C" void wc_fence(Thread* caller, bool within_block) { races().fence(record(caller), within_block); }

}  // namespace warpcourt::cpu
